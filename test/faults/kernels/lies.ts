/**
 * Kernels that break the protocol, each in one way. The one part here that isn't real: no kernel can be made to lie on demand. What is wrong is
 * dropped and the truth shown; a run whose end never comes is left to the person, whose restart ends it.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repository } from '../../../scripts/setup/paths.mjs';
import { testPython } from '../../support/python.ts';
import { must, quoted, until } from './checks.ts';
import type { Scene } from './ground.ts';
import type { Attempt, FaultKind, Outcome } from './tries.ts';

const TRIES = 3;

const SCRIPT = path.join(repository, 'test', 'faults', 'kernels', 'lying_kernel.py');

function spec(lie: string) {
  return { argv: [testPython(), SCRIPT, lie, '{connection_file}'], language: 'lies', interruptMode: 'message' as const };
}

/** Lies that change nothing: each run is right, and so is the next. */
const HARMLESS = [
  'bad-signature',
  'bad-json',
  'missing-fields',
  'wrong-types',
  'short-frames',
  'huge-frames',
  'unknown-messages',
  'replies-first',
  'idle-first',
  'idle-twice',
  'never-leaves',
  'no-heartbeat',
] as const;

/** Lies that make a run's end late: it ends, since other answers or a long silence prove that nothing more will come. */
const LATE = ['never-idle', 'never-idle-again', 'never-replies', 'no-status'] as const;

async function tellsTruth(scene: Scene, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const key = scene.notebook.code(`anything ${round}`);
    const { status, failure } = await scene.session.runCells([key]);
    must(status === 'ok', `Run ${round} ended ${status}: ${failure?.error?.ename ?? scene.session.kernelView().message}`);
    const shown = scene.notebook.text(key);
    must(shown.includes('truth\n') && !shown.includes('lie'), `Run ${round} shows ${quoted(shown)}.`);
  }
}

/** The first reply counts, and the run's end is its end. */
async function repliesTwice({ open }: Attempt): Promise<Outcome> {
  const scene = open({ spec: spec('replies-twice') });
  const keys = [1, 2].map((round) => scene.notebook.code(`anything ${round}`));
  for (const key of keys) {
    const { failure } = await scene.session.runCells([key]);
    must(failure?.error?.ename === 'First', `It ended with ${failure?.error?.ename}.`);
    must(scene.notebook.text(key) === 'truth\n', `It shows ${quoted(scene.notebook.text(key))}.`);
  }
  return 'error';
}

/** Nothing of the run comes back, as if the code ran for ever: an interrupt has no effect and says so, a restart ends it. */
async function wrongParent({ random, open }: Attempt): Promise<Outcome> {
  const scene = open({ spec: spec('wrong-parent') });
  await scene.session.ensureKernel();
  const key = scene.notebook.code('anything');
  const run = scene.session.runCells([key]);
  await delay(random.between(0, 200));
  await scene.session.interrupt();
  await until(() => /goes on in spite of the interrupt. Restart/.test(scene.session.kernelView().message ?? ''));
  must(scene.notebook.text(key) === '', `Output of nobody is shown: ${quoted(scene.notebook.text(key))}`);
  await scene.session.restart();
  must((await run).status === 'cancelled', 'The restart did not cancel the run.');
  return 'error';
}

async function silentStart({ open }: Attempt): Promise<Outcome> {
  const scene = open({ spec: spec('silent-start'), startTimeoutMs: 2_500 });
  const { status } = await scene.session.runCells([scene.notebook.code('anything')]);
  const { message } = scene.session.kernelView();
  must(status === 'cancelled', `The run ended ${status}.`);
  must(/did not (answer|open its ports) within \d seconds/.test(message ?? ''), `The words are ${message}.`);
  return 'error';
}

function truthful(lie: string, limitMs: number, rounds: number): FaultKind {
  return {
    name: `kernel that lies: ${lie}`,
    limitMs,
    tries: TRIES,
    sample: 1,
    attempt: async ({ open }) => {
      await tellsTruth(open({ spec: spec(lie) }), rounds);
      return 'right';
    },
  };
}

export const LIES: readonly FaultKind[] = [
  ...HARMLESS.map((lie) => truthful(lie, 60_000, 3)),
  ...LATE.map((lie) => truthful(lie, 90_000, 1)),
  { name: 'kernel that lies: replies-twice', limitMs: 60_000, tries: TRIES, sample: 1, attempt: repliesTwice },
  { name: 'kernel that lies: wrong-parent', limitMs: 60_000, tries: TRIES, sample: 1, attempt: wrongParent },
  { name: 'kernel that lies: silent-start', limitMs: 60_000, tries: TRIES, sample: 1, attempt: silentStart },
];
