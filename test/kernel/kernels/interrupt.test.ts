/**
 * Interrupt works on whatever a cell may be stuck in, by signal and by message.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { interruptBySignal } from '../../../main/kernels/direct/interrupt.ts';
import { shellCommands } from '../../../main/kernels/direct/shell-commands.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import {
  type Bench,
  eventually,
  isAlive,
  isBusy,
  isStream,
  openBench,
  pythonSpec,
  type Run,
  run,
  type StartedRun,
  startRun,
} from './kernel-fixture.ts';

let bench: Bench;
let bySignal: Kernel;
let byMessage: Kernel;

beforeAll(async () => {
  bench = await openBench();
  const cwd = bench.runtimeFolder;
  bySignal = await bench.manager.start({ spec: pythonSpec(), cwd });
  byMessage = await bench.manager.start({ spec: pythonSpec({ interruptMode: 'message' }), cwd });
});

afterAll(async () => {
  await bench.close();
});

/** What the cell prints before it gets stuck says that it runs. */
const STUCK: [name: string, code: string][] = [
  ['a loop', 'while True: pass'],
  ['a long sleep', 'import time; time.sleep(1000)'],
  ['top-level await', 'import asyncio; await asyncio.sleep(1000)'],
  ['a child that is waited for', "import subprocess; subprocess.run(['sleep', '1000'])"],
  ['os.system, which ignores the signal itself', "import os; os.system('sleep 1000'); raise KeyboardInterrupt"],
  ['a lock in native code', 'import threading; threading.Event().wait()'],
];

for (const [how, kernelOf] of [
  ['signal', () => bySignal],
  ['message', () => byMessage],
] as const) {
  for (const [name, code] of STUCK) {
    test(`by ${how}: ${name}`, async () => {
      const kernel = kernelOf();
      const started = startRun(kernel, `print('runs', flush=True)\n${code}`);
      await started.until(isStream);
      // The output leaves on a thread of its own; the loop comes right after it.
      await delay(100);
      await kernel.interrupt();
      const { reply } = await started.done;
      expect(reply.status).toBe('error');
      expect(['KeyboardInterrupt', 'CancelledError']).toContain(reply.ename);
      expect((await run(kernel, '1 + 1')).result).toBe('2');
    });
  }
}

test('a shell command ends, and the kernel is free again', async () => {
  const started = startRun(bySignal, '!echo runs; sleep 1000');
  await started.until(isStream);
  await bySignal.interrupt();
  await started.done;
  expect((await run(bySignal, '1 + 1')).result).toBe('2');
});

/** Whether the kernel has a shell command that runs. */
async function hasCommand(kernel: Kernel): Promise<boolean> {
  return (await shellCommands(kernel.pid!)).some(({ pid }) => isAlive(pid));
}

/** Interrupts as somebody who waits for it does: a second time when the first had no effect. */
async function interrupted(kernel: Kernel, { done }: StartedRun): Promise<Run> {
  await kernel.interrupt();
  const seen = await Promise.race([done, delay(9_000, null, { ref: false })]);
  if (seen) return seen;
  await kernel.interrupt();
  return done;
}

describe.each([
  ['that last', '!echo runs; sleep 1000'],
  ['that are short', '!echo runs; sleep 0.05'],
  ['that are over at once', '!echo runs'],
])('a loop over shell commands %s ends, though each of them takes the interrupt for itself', (_name, command) => {
  // IPython forks, waits for the command and clears up after it; each of them takes the interrupt in its own way.
  test.each([0, 3, 15, 40, 70, 100, 200])('%i ms after the first word of one', async (ms) => {
    const started = startRun(bySignal, `while True:\n    ${command}`);
    await started.until(isStream);
    await delay(ms);
    const { reply } = await interrupted(bySignal, started);
    // Mostly KeyboardInterrupt; an error of IPython's own when the signal came before it knew of its child.
    expect(reply.status).toBe('error');
    expect((await run(bySignal, '1 + 1')).result).toBe('2');
    await eventually(async () => !(await hasCommand(bySignal)));
  });
});

test('a command that began between the look for commands and the signal is one that took it', async () => {
  const folder = await mkdtemp(path.join(bench.runtimeFolder, 'begun-'));
  const code = `import os, time
while not os.path.exists('${folder}/looked'): time.sleep(.001)
while True:
    !touch ${folder}/begun; sleep 1000`;
  const started = startRun(bySignal, code);
  await started.until(isBusy);
  let looks = 0;
  await interruptBySignal({ pid: bySignal.pid!, isIPython: true, stillWorks: () => bySignal.state === 'busy' }, async (pid) => {
    const commands = await shellCommands(pid);
    looks += 1;
    if (looks > 1) return commands;
    expect(commands).toEqual([]);
    await writeFile(path.join(folder, 'looked'), '');
    await eventually(() => existsSync(path.join(folder, 'begun')));
    // Not so young that it may still be on its way into the world.
    await delay(100);
    return commands;
  });
  const { reply } = await started.done;
  expect(reply.status).toBe('error');
  await eventually(async () => !(await hasCommand(bySignal)));
});

test('a command with which code clears up after its interrupt is left to end', async () => {
  const code = `import time
try:
    print('runs', flush=True)
    time.sleep(1000)
except KeyboardInterrupt:
    !sleep 1; echo cleared up`;
  const started = startRun(bySignal, code);
  await started.until(isStream);
  await delay(100);
  await bySignal.interrupt();
  const { reply, text } = await started.done;
  expect(reply.status).toBe('ok');
  expect(text).toContain('cleared up');
});

test('code that keeps on after KeyboardInterrupt goes on', async () => {
  const code = `import time
for n in range(2):
    try:
        print('runs', n, flush=True)
        time.sleep(1000)
    except KeyboardInterrupt:
        pass
print('end')`;
  const started = startRun(bySignal, code);
  for (const n of [0, 1]) {
    await started.until((message) => isStream(message) && String(message.content.text).includes(`runs ${n}`));
    await delay(100);
    await bySignal.interrupt();
  }
  const { reply, text } = await started.done;
  expect(reply.status).toBe('ok');
  expect(text).toContain('end');
});

test('an interrupt while nothing runs does no harm', async () => {
  await bySignal.interrupt();
  await byMessage.interrupt();
  expect((await run(bySignal, '1 + 1')).result).toBe('2');
  expect((await run(byMessage, '1 + 1')).result).toBe('2');
});
