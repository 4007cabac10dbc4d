/**
 * SIGKILL at random instants of a life: of the kernel, and of the kernel host, which must cost no variable. The instants are spread over a phase
 * and a bit beyond it, so that some fall on its borders.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { counting, deathKnown, judge, kill, must, output, quoted, startingPid, stillWorks, until } from './checks.ts';
import type { Scene } from './ground.ts';
import type { Attempt, FaultKind, Outcome } from './tries.ts';

/** A start takes about a third of a second where nothing else runs, and a shutdown less. */
const START_SPREAD_MS = 900;
const RUN_SPREAD_MS = 250;
const END_SPREAD_MS = 250;

const DIED = /killed by (signal 9|SIGKILL)/;
const LOST = /connection to the kernel broke/;

const KERNEL_TRIES = 50;
const HOST_TRIES = 25;

export const KERNEL_KILLS: readonly FaultKind[] = [
  { name: 'SIGKILL of the kernel, starting', attempt: kernelStarting },
  { name: 'SIGKILL of the kernel, idle', attempt: kernelIdle },
  { name: 'SIGKILL of the kernel, running', attempt: kernelRunning },
  { name: 'SIGKILL of the kernel, shutting down or restarting', attempt: kernelEnding },
].map((kind) => ({ ...kind, limitMs: 60_000, tries: KERNEL_TRIES, sample: 2 }));

export const HOST_KILLS: readonly FaultKind[] = [
  { name: 'SIGKILL of the host, kernel starting', attempt: hostStarting },
  { name: 'SIGKILL of the host, idle', attempt: hostIdle },
  { name: 'SIGKILL of the host, running', attempt: hostRunning },
  { name: 'SIGKILL of the host, shutting down or restarting', attempt: hostEnding },
  { name: 'SIGKILL of host and kernel together', attempt: bothRunning },
].map((kind) => ({ ...kind, limitMs: 60_000, tries: HOST_TRIES, sample: 1 }));

async function kernelStarting({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const { code, text } = counting(5);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  const { pid } = await startingPid(ground);
  await delay(random.between(0, START_SPREAD_MS));
  kill(pid);
  const outcome = judge(scene, await run, { key, text, words: DIED });
  await deathKnown(scene, pid);
  await stillWorks(scene);
  return outcome;
}

async function kernelIdle({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { kernel } = scene.session;
  await delay(random.between(0, 30));
  kill(kernel?.pid);
  const waits = random.next() < 0.5;
  if (waits) {
    await until(() => kernel?.state === 'dead');
    must(DIED.test(scene.session.kernelView().message ?? ''), `The words are ${quoted(scene.session.kernelView().message ?? '')}.`);
    await stillWorks(scene);
    return 'error';
  }
  // The run may reach a kernel that nobody knows to be dead yet.
  const { code, text } = counting(5);
  const key = scene.notebook.code(code);
  const outcome = judge(scene, await scene.session.runCells([key]), { key, text, words: DIED });
  await stillWorks(scene);
  return outcome;
}

async function kernelRunning({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { code, text } = counting(50);
  const [key, next] = [scene.notebook.code(code), scene.notebook.code('print("next")')];
  const run = scene.session.runCells([key, next]);
  const pid = scene.session.kernel?.pid;
  await delay(random.between(0, RUN_SPREAD_MS));
  kill(pid);
  const summary = await run;
  if (summary.cells[0]?.outcome === 'done') {
    // It fell on the second cell or after it.
    must(scene.notebook.text(key) === text, `The first cell is done with ${quoted(scene.notebook.text(key))}.`);
    const outcome = judge(scene, summary, { key: next, text: 'next\n', words: DIED });
    await deathKnown(scene, pid);
    await stillWorks(scene);
    return outcome;
  }
  must(scene.notebook.cell(next)!.begun === 0, 'The next cell was run after the death.');
  const outcome = judge(scene, summary, { key, text, words: DIED });
  await stillWorks(scene);
  return outcome;
}

async function kernelEnding({ random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { kernel } = scene.session;
  const pid = kernel?.pid;
  const restarts = random.next() < 0.5;
  const busy = random.next() < 0.5;
  const run = busy ? scene.session.runCells([scene.notebook.code('while True: pass')]) : null;
  if (busy) await until(() => kernel?.state === 'busy');
  const ended = restarts ? scene.session.restart() : scene.session.shutdown();
  await delay(random.between(0, END_SPREAD_MS));
  // After a restart it may be the new process that is hit: then the restart says so.
  const killed = random.next() < 0.5 ? pid : (kernel?.pid ?? pid);
  kill(killed);
  const problem = await ended.then(
    () => null,
    (error: Error) => error.message,
  );
  must(problem === null || DIED.test(problem), `The end failed: ${problem}`);
  await run;
  await deathKnown(scene, killed);
  await stillWorks(scene);
  return problem === null ? 'right' : 'error';
}

async function hostStarting({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const { code, text } = counting(5);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  await startingPid(ground);
  await delay(random.between(0, START_SPREAD_MS));
  const host = ground.host();
  kill(host.pid);
  const outcome = judge(scene, await run, { key, text, words: LOST, mayMiss: true });
  await until(() => host.pid === null);
  await stillWorks(scene);
  return outcome;
}

/** A kernel with a variable, and the check that it is still there. */
async function withVariable(scene: Scene, value: number): Promise<() => Promise<void>> {
  const set = await output(scene, `kept = ${value}`);
  must(set.status === 'ok', `Setting the variable ended ${set.status}.`);
  const pid = scene.session.kernel?.pid;
  return async () => {
    const { status, text } = await output(scene, 'print(kept)');
    must(status === 'ok' && text === `${value}\n`, `The variable is gone: ${quoted(text)} (${status})`);
    must(scene.session.kernel?.pid === pid, 'It is another process.');
  };
}

async function hostIdle({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const isKept = await withVariable(scene, random.between(0, 1_000_000));
  const host = ground.host();
  kill(host.pid);
  await delay(random.between(0, 100));
  const { code, text } = counting(5);
  const key = scene.notebook.code(code);
  const outcome = judge(scene, await scene.session.runCells([key]), { key, text, words: LOST, mayMiss: true });
  await until(() => host.pid === null);
  await isKept();
  return outcome;
}

async function hostRunning({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const isKept = await withVariable(scene, random.between(0, 1_000_000));
  const { code, text } = counting(50);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  await delay(random.between(0, RUN_SPREAD_MS));
  const host = ground.host();
  kill(host.pid);
  const outcome = judge(scene, await run, { key, text, words: LOST, mayMiss: true });
  // A kill that comes after the end of the run is not known of yet: what is run next would meet it.
  await until(() => host.pid === null);
  await isKept();
  return outcome;
}

async function hostEnding({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await withVariable(scene, 1);
  const restarts = random.next() < 0.5;
  const ended = restarts ? scene.session.restart() : scene.session.shutdown();
  await delay(random.between(0, END_SPREAD_MS));
  const host = ground.host();
  kill(host.pid);
  await ended;
  await until(() => host.pid === null);
  await stillWorks(scene);
  const { text } = await output(scene, 'print("kept" in globals())');
  must(text === 'False\n', 'The variable of the kernel before is there.');
  return 'right';
}

async function bothRunning({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  await scene.session.ensureKernel();
  const { code, text } = counting(50);
  const key = scene.notebook.code(code);
  const run = scene.session.runCells([key]);
  await delay(random.between(0, RUN_SPREAD_MS));
  const pids = [scene.session.kernel?.pid, ground.host().pid];
  if (random.next() < 0.5) pids.reverse();
  for (const pid of pids) kill(pid);
  const summary = await run;
  // Which of the two is seen first decides the words; both are true.
  const outcome = judge(scene, summary, { key, text, words: new RegExp(`${DIED.source}|${LOST.source}`), mayMiss: true });
  await until(() => scene.session.kernel?.state === 'dead');
  await stillWorks(scene);
  return outcome;
}
