/**
 * Kernels that are stopped (SIGSTOP) and go on later. A stopped process is never taken for dead: the session says that it does not respond, and
 * everything is right once it goes on. Ending it must not need it to go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { counting, judge, kill, must, output, stillWorks, until } from './checks.ts';
import type { Attempt, FaultKind, Outcome } from './tries.ts';

const TRIES = 5;

/** The result of a cell that was stopped in the middle for a moment, shorter than a heartbeat. */
async function shortly({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { code, text } = counting(50);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  await delay(random.between(0, 200));
  const pid = scene.session.kernel?.pid;
  kill(pid, 'SIGSTOP');
  await delay(random.between(0, 1_000));
  kill(pid, 'SIGCONT');
  const outcome = judge(scene, await run, { key, text, words: /^never$/ });
  must(outcome === 'right', 'A stopped kernel is no error.');
  await stillWorks(scene);
  return outcome;
}

async function untilNoticed({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await output(scene, 'kept = 1');
  const runs = random.next() < 0.5;
  const { code, text } = counting(50);
  const key = scene.notebook.code(code);
  const run = runs ? scene.session.runCells([key]) : null;
  await delay(random.between(0, 100));
  const pid = scene.session.kernel?.pid;
  kill(pid, 'SIGSTOP');
  await until(() => scene.session.kernelView().state === 'not-responding');
  kill(pid, 'SIGCONT');
  await until(() => scene.session.kernelView().state !== 'not-responding');
  if (run) must(judge(scene, await run, { key, text, words: /^never$/ }) === 'right', 'A stopped kernel is no error.');
  must((await output(scene, 'print(kept)')).text === '1\n', 'The variable is gone.');
  must(scene.session.kernel?.pid === pid, 'It is another process.');
  return 'right';
}

/** A restart or a shutdown of a stopped kernel, idle or running. */
async function ended({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const key = scene.notebook.code('print(1, flush=True)\nwhile True: pass');
  const run = random.next() < 0.5 ? scene.session.runCells([key]) : null;
  if (run) await until(() => scene.notebook.text(key) === '1\n');
  kill(scene.session.kernel?.pid, 'SIGSTOP');
  await delay(random.between(0, 100));
  if (random.next() < 0.5) await scene.session.restart();
  else await scene.session.shutdown();
  if (run) must((await run).status === 'cancelled', 'The cell was not cancelled.');
  await stillWorks(scene);
  return 'right';
}

/** An interrupt reaches a stopped kernel when it goes on. */
async function interrupted({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const key = scene.notebook.code('print(1, flush=True)\nwhile True: pass');
  const run = scene.session.runCells([key]);
  await until(() => scene.notebook.text(key) === '1\n');
  const pid = scene.session.kernel?.pid;
  kill(pid, 'SIGSTOP');
  await scene.session.interrupt();
  await delay(random.between(0, 300));
  kill(pid, 'SIGCONT');
  const { failure } = await run;
  must(failure?.error?.ename === 'KeyboardInterrupt', `It ended with ${failure?.error?.ename} (${failure?.status}).`);
  await stillWorks(scene);
  return 'error';
}

/** A host that is stopped for a moment delays everything and loses nothing. */
async function hostShortly({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { code, text } = counting(50);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  await delay(random.between(0, 200));
  const { pid } = ground.host();
  kill(pid, 'SIGSTOP');
  await delay(random.between(0, 1_000));
  kill(pid, 'SIGCONT');
  const outcome = judge(scene, await run, { key, text, words: /^never$/ });
  await stillWorks(scene);
  return outcome;
}

export const STOPS: readonly FaultKind[] = [
  { name: 'stopped for a moment', limitMs: 60_000, tries: TRIES * 2, sample: 1, attempt: shortly },
  { name: 'stopped until it is noticed', limitMs: 90_000, tries: TRIES, sample: 1, attempt: untilNoticed },
  { name: 'stopped, then ended', limitMs: 60_000, tries: TRIES * 2, sample: 2, attempt: ended },
  { name: 'stopped, then interrupted', limitMs: 60_000, tries: TRIES, sample: 1, attempt: interrupted },
  { name: 'host stopped for a moment', limitMs: 60_000, tries: TRIES * 2, sample: 1, attempt: hostShortly },
];
