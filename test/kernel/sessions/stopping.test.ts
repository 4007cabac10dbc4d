/** Calls that are stopped: by their own time or by whoever made them, while they run, wait or start; and code that doesn't want to stop. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { until } from '../execution/session-fixture.ts';
import { isAlive, openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

const SLEEP = 'import time\nprint("begun", flush=True)\ntime.sleep(1000)';

describe.each(KERNEL_PYTHONS)('with $name', ({ python: findPython }) => {
  let fixture: PoolFixture;
  let python: PoolFixture['python'];

  beforeAll(async () => {
    fixture = await openPool({ spec: pythonSpec(await findPython()) });
    python = fixture.python;
    await python('kept = 7');
  });
  afterAll(() => fixture.close());

  /** Makes a call that is cancelled as soon as its text has the word. */
  function cancelledAt(word: string, code: string | string[]): ReturnType<PoolFixture['python']> {
    const cancel = new AbortController();
    const options = {
      signal: cancel.signal,
      onProgress: ({ cells }: { cells: { output: string }[] }) => {
        if (cells.some(({ output }) => output.includes(word))) cancel.abort();
      },
    };
    return python(code, {}, options);
  }

  test.each([
    ['a sleep', SLEEP],
    ['a loop', 'print("begun", flush=True)\nwhile True: pass'],
    [
      'a native call that looks at signals',
      'import re, time\nprint("begun", flush=True)\ntime.sleep(.3)\nre.match("(a?){64}a{64}", "a" * 64)',
    ],
    ['top-level await', 'import asyncio\nprint("begun", flush=True)\nawait asyncio.sleep(1000)'],
    ['a shell command', 'print("begun", flush=True)\n!sleep 1000'],
    ['a loop over shell commands', 'print("begun", flush=True)\nwhile True:\n  !sleep 0.3'],
    ['a loop over commands that are over at once', 'print("begun", flush=True)\nwhile True:\n  !true'],
    [
      'code in whose destructor the interrupt was dropped',
      `class Slow:
  def __del__(self):
    print("begun", flush=True)
    while not dropped: pass
import signal
dropped = []
signal.signal(signal.SIGINT, lambda *_: (dropped.append(1), signal.signal(signal.SIGINT, signal.default_int_handler), 1 / 0))
Slow()
while True: pass`,
    ],
    ['a child process', 'import subprocess\nprint("begun", flush=True)\nsubprocess.run(["sleep", "1000"])'],
    ['the helper of the prelude', 'print("begun", flush=True)\nrun("sleep 1000")'],
  ])('cancelling stops %s, keeps its text and the variables', async (_name, code) => {
    const { text, isError, structuredContent } = await cancelledAt('begun', [code, '2']);
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({ cancelled: true, cells: [{ status: 'error', exitCode: null }, { status: 'pending' }] });
    expect(text).toMatch(/^\[1\/2\]\nbegun\n[\s\S]*\nCancelled\.\n\n/);
    expect(text).not.toContain('in spite of the interrupt');
    expect((await python('kept')).text).toBe('7');
  });

  test('a timeout does the same and says how long it was', async () => {
    const { text, isError, structuredContent } = await python([SLEEP], { timeout: 1.5 });
    expect(isError).toBe(true);
    expect(text).toMatch(/^begun\n/);
    expect(text.split('\n').at(-1)).toBe('Command timed out after 1.5 seconds');
    expect(structuredContent.cancelled).toBe(false);
    expect(structuredContent.cells[0]!.output.endsWith('Command timed out after 1.5 seconds')).toBe(true);
    expect((await python('kept')).text).toBe('7');
  });

  test('the time is for the whole call and not for each cell', async () => {
    const nap = 'import time; time.sleep(.7)';
    const { text, structuredContent } = await python([nap, nap, nap, nap], { timeout: 2 });
    expect(text).toContain('Command timed out after 2 seconds');
    expect(structuredContent.cells.map(({ status }) => status)).toEqual(['complete', 'complete', 'error', 'pending']);
    expect(text).toContain('The state of cells 1-2 is kept. Send only cells 3-4 again');
  });

  test('a flood is stopped, and its end is there', async () => {
    const { text, structuredContent } = await python('n = 0\nwhile True:\n  print("line", n); n += 1', { timeout: 2 });
    expect(text).toContain('Command timed out after 2 seconds');
    expect(text).toContain('KeyboardInterrupt');
    expect(structuredContent.truncation!.outputBytes).toBeLessThanOrEqual(51_200);
    expect(structuredContent.artifactId).not.toBeNull();
    const lines = Number((await python('n')).text);
    expect(structuredContent.truncation!.totalLines).toBeGreaterThanOrEqual(lines);
  });

  test('code that does not stop costs the kernel, and the result says so', async () => {
    const before = fixture.pool.list()[0]!.pid!;
    const deaf = 'import time\nwhile True:\n  try: time.sleep(.1)\n  except KeyboardInterrupt: print("never", flush=True)';
    const { text, structuredContent } = await python(['x = 1', deaf], { timeout: 2 }, { graceMs: 500 });
    expect(text).toContain(
      'never\nCommand timed out after 2 seconds\nThe code went on in spite of the interrupt, so the kernel was restarted. Its variables are gone.',
    );
    expect(text).toContain('The state of the earlier cells is gone with the kernel, so send all cells again.');
    expect(structuredContent.cells[1]!.status).toBe('error');
    expect(isAlive(before)).toBe(false);
    // It was ended on purpose: it counts neither as a death nor as a restart.
    expect((await python(deaf, { timeout: 1 }, { graceMs: 500 })).text).toContain('so the kernel was restarted');
    expect((await python('"kept" in globals(), callable(read)')).text).toBe('(False, True)');
    await python('kept = 7');
  });

  test('a kernel process that is stopped costs the call its time and the kernel, and nothing hangs', async () => {
    const cwd = await fixture.place('stopped');
    const pid = Number((await python('import os; os.getpid()', { cwd })).text);
    process.kill(pid, 'SIGSTOP');
    const { text, isError } = await python('1', { cwd, timeout: 2 }, { graceMs: 500 });
    expect(isError).toBe(true);
    expect(text).toContain('Command timed out after 2 seconds\nThe code went on in spite of the interrupt, so the kernel was restarted.');
    expect(isAlive(pid)).toBe(false);
    expect((await python('2', { cwd })).text).toBe('2');
  });

  test('a call that waits can be cancelled without disturbing the order, and sees its place', async () => {
    const cwd = await fixture.place('order');
    await python('order = []', { cwd });
    const cancel = new AbortController();
    const running = python('import os, time\nwhile not os.path.exists("go"): time.sleep(.02)\norder.append("a")', { cwd });
    const waits: (number | undefined)[] = [];
    const b = python('order.append("b")', { cwd });
    const c = python('order.append("c")', { cwd }, { signal: cancel.signal });
    const d = python('order.append("d")', { cwd }, { onProgress: ({ waiting }) => waits.push(waiting?.position) });
    await until(() => waits.includes(3), 'its place');
    cancel.abort();
    const cancelled = await c;
    expect(cancelled.text).toBe('Cancelled.\nIt waited for an earlier call of this session. Nothing was run.');
    expect(cancelled.structuredContent).toMatchObject({ cancelled: true, cells: [{ status: 'pending' }] });
    await until(() => waits.includes(2), 'its new place');
    await writeFile(path.join(cwd, 'go'), '');
    await Promise.all([running, b, d]);
    expect((await python('order', { cwd })).text).toBe("['a', 'b', 'd']");
    expect(waits[0]).toBe(3);
    expect(waits.at(-1)).toBeUndefined();
  });

  test('waiting counts into the time of a call', async () => {
    const running = python('import time; time.sleep(3)');
    const { text, isError } = await python('1', { timeout: 1 });
    expect(text).toBe('Command timed out after 1 seconds\nIt waited for an earlier call of this session. Nothing was run.');
    expect(isError).toBe(true);
    await running;
  });

  test('a call that is cancelled before it begins runs nothing', async () => {
    const { text } = await python('kept = 8', {}, { signal: AbortSignal.abort() });
    expect(text).toMatch(/^Cancelled\.\n/);
    expect((await python('kept')).text).toBe('7');
  });
});

describe('a slow start', () => {
  const slow = (): ReturnType<typeof pythonSpec> => {
    const spec = pythonSpec();
    const [program = '', ...args] = spec.argv;
    return { ...spec, argv: ['/bin/sh', '-c', 'sleep 2; exec "$0" "$@"', program, ...args] };
  };

  test('counts into the time of the call, goes on, and serves the next call', async () => {
    const fixture = await openPool({ spec: slow() });
    try {
      const late = await fixture.python('1', { timeout: 1 });
      expect(late.text).toBe(
        'Command timed out after 1 seconds\nThe kernel was still starting. Nothing was run.\nThe start goes on, so send the same call again.',
      );
      expect(late.structuredContent.cells[0]!.status).toBe('pending');
      expect((await fixture.python('1 + 1')).text).toBe('2');
      expect(fixture.starts.length).toBe(1);
    } finally {
      await fixture.close();
    }
  });

  test('of a kernel for one call ends with the call', async () => {
    const fixture = await openPool({ spec: slow() });
    try {
      const late = await fixture.python('1', { timeout: 1, kernelMode: 'per-call' });
      expect(late.text).toBe('Command timed out after 1 seconds\nThe kernel was still starting. Nothing was run.');
      expect(fixture.pool.list()).toEqual([]);
      expect(fixture.manager.kernels.size).toBe(0);
    } finally {
      await fixture.close();
    }
  });
});
