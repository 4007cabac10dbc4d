/**
 * Interrupt works on whatever a cell may be stuck in, by signal and by message.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import { type Bench, isStream, openBench, pythonSpec, run, startRun } from './kernel-fixture.ts';

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

test('a loop over shell commands ends, though each of them takes the interrupt for itself', async () => {
  for (let time = 0; time < 5; time += 1) {
    const started = startRun(bySignal, 'while True:\n    !echo runs; sleep 1000');
    await started.until(isStream);
    await bySignal.interrupt();
    const { reply } = await started.done;
    // Mostly KeyboardInterrupt; an error of IPython's own when the signal came before it knew of its child.
    expect(reply.status).toBe('error');
  }
  expect((await run(bySignal, '1 + 1')).result).toBe('2');
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
