/** How runs end from the side: interrupt, restart, the kernel's death. Every cell is left in a state that says what happened. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../kernels/kernel-fixture.ts';
import { openSession, pythonSpec, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSession();
});
afterEach(() => fixture.close());

function state(key: string): string | undefined {
  return fixture.session.runs().get(key)?.state;
}

/** Starts these cells and waits until the first one's code has begun; the run itself goes on. */
async function start(...keys: string[]): Promise<{ run: ReturnType<SessionFixture['session']['runCells']> }> {
  const { session, notebook } = fixture;
  const run = session.runCells(keys);
  await until(() => notebook.text(keys[0]!).includes('begun'), 'the first output');
  return { run };
}

describe('interrupt', () => {
  it('ends an endless loop, keeps its output and forgets what waits', async () => {
    const { session, notebook } = fixture;
    const loop = notebook.code('print("begun")\nwhile True: pass');
    const next = notebook.code('print("next")');
    const { run } = await start(loop, next);
    await session.interrupt();
    const summary = await run;
    expect(summary).toMatchObject({ status: 'failed', failure: { key: loop, error: { ename: 'KeyboardInterrupt' } } });
    expect([state(loop), state(next)]).toEqual(['failed', 'cancelled']);
    expect(notebook.text(loop)).toMatch(/^begun\n<KeyboardInterrupt/);
    expect(notebook.cell(next)!.begun).toBe(0);
    expect(session.kernelView()).toMatchObject({ state: 'idle', queued: 0 });
    expect((await session.runCells([next])).status).toBe('ok');
  });

  it('leaves alone what is asked for after it, also when the cell has not ended yet', async () => {
    const { session, notebook } = fixture;
    const loop = notebook.code('print("begun")\nwhile True: pass');
    const [before, after, later] = ['print("before")', 'print("after")', 'print("later")'].map((source) => notebook.code(source));
    const { run } = await start(loop, before!);
    const interrupt = session.interrupt();
    const next = session.runCells([after!, later!]);
    await Promise.all([interrupt, run]);
    expect((await next).status).toBe('ok');
    expect([loop, before, after, later].map((key) => state(key!))).toEqual(['failed', 'cancelled', 'done', 'done']);
    expect(notebook.text(later!)).toBe('later\n');
  });

  it('works at whatever instant it comes', async () => {
    const { session, notebook } = fixture;
    await session.ensureKernel();
    for (let pause = 0; pause < 60; pause += 6) {
      const loop = notebook.code('while True: pass');
      const run = session.runCells([loop]);
      await new Promise((resolve) => setTimeout(resolve, pause));
      await session.interrupt();
      await run;
      expect(['failed', 'cancelled']).toContain(state(loop));
    }
  });

  it('ends an endless flood of output, of which beginning and end are kept', async () => {
    const { session, notebook } = fixture;
    const flood = notebook.code('print("begun")\nwhile True: print("y" * 70)');
    const { run } = await start(flood);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await session.interrupt();
    await run;
    expect(state(flood)).toBe('failed');
    const [stream] = notebook.cell(flood)!.outputs;
    expect(stream).toMatchObject({ type: 'stream', omitted: { artifactId: '0' } });
    expect(notebook.text(flood)).toMatch(/^begun\ny{70}\n/);
  });

  it('is said to have no effect when the code swallows it, and a restart ends that', { timeout: 60_000 }, async () => {
    const { session, notebook } = fixture;
    const source = 'import time\nprint("begun")\nwhile True:\n  try: time.sleep(0.3)\n  except KeyboardInterrupt: print("swallowed")';
    const stubborn = notebook.code(source);
    const { run } = await start(stubborn);
    await session.interrupt();
    await until(() => session.kernelView().message !== null, 'the word about the interrupt');
    expect(session.kernelView().message).toContain('Restart');
    await session.restart();
    await run;
    expect(state(stubborn)).toBe('cancelled');
    expect(notebook.text(stubborn)).toContain('swallowed');
    expect(session.kernelView().message).toBeNull();
  });

  it('that had no effect is not spoken of any more once the code has ended', { timeout: 60_000 }, async () => {
    const { session, notebook } = fixture;
    const source =
      'import os, time\nprint("begun")\nwhile not os.path.exists("go"):\n  try: time.sleep(0.3)\n  except KeyboardInterrupt: print("swallowed")';
    const stubborn = notebook.code(source);
    const { run } = await start(stubborn);
    await session.interrupt();
    await until(() => session.kernelView().message !== null, 'the word about the interrupt');
    await writeFile(path.join(fixture.folder, 'go'), '');
    await run;
    expect(state(stubborn)).toBe('done');
    expect(session.kernelView().message).toBeNull();
  });

  it('while the kernel starts cancels what waits for it', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("x")');
    const run = session.runCells([key]);
    await session.interrupt();
    expect(state(key)).toBe('cancelled');
    const again = session.runCells([key]);
    expect((await run).status).toBe('cancelled');
    expect((await again).status).toBe('ok');
    expect([state(key), notebook.cell(key)!.begun]).toEqual(['done', 1]);
  });

  it('with nothing running does nothing', async () => {
    const { session, notebook } = fixture;
    await session.interrupt();
    const key = notebook.code('1');
    await session.runCells([key]);
    await session.interrupt();
    expect((await session.runCells([key])).status).toBe('ok');
  });
});

describe('restart', () => {
  it('cancels what runs and waits, keeps the output, and counts a generation', async () => {
    const { session, notebook } = fixture;
    const loop = notebook.code('x = 1\nprint("begun")\nwhile True: pass');
    const next = notebook.code('print("next")');
    const { run } = await start(loop, next);
    const before = session.kernelView().generation;
    // Pressed twice: the second joins.
    await Promise.all([session.restart(), session.restart()]);
    expect(await run).toMatchObject({ status: 'cancelled', failure: null });
    expect([state(loop), state(next)]).toEqual(['cancelled', 'cancelled']);
    expect(notebook.text(loop)).toBe('begun\n');
    expect(session.kernelView()).toMatchObject({ state: 'idle', generation: before + 1, message: null });
    const gone = notebook.code('print(x)');
    await session.runCells([gone]);
    expect(notebook.text(gone)).toContain('NameError');
  });

  it('and run all, again and again, gives a whole run each time', async () => {
    const { session, notebook } = fixture;
    const keys = ['a = 1', 'a += 1; print(a)', 'print(a)'].map((source) => notebook.code(source));
    for (let round = 0; round < 5; round += 1) {
      const pressed = session.restart();
      // Not waited for: the cells wait for the restart.
      const run = session.runCells(keys);
      await pressed;
      expect((await run).cells.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
      expect(keys.map((key) => notebook.text(key))).toEqual(['', '2\n', '2\n']);
      expect(keys.map((key) => notebook.cell(key)!.count)).toEqual([1, 2, 3]);
    }
  });

  it('while input is waited for ends the wait', async () => {
    const { session, notebook } = fixture;
    const ask = notebook.code('input("name")');
    const run = session.runCells([ask]);
    await until(() => session.runs().get(ask)?.input !== null && session.runs().get(ask)?.input !== undefined, 'the question');
    await session.restart();
    await run;
    expect(session.runs().get(ask)).toMatchObject({ state: 'cancelled', input: null });
    await session.provideInput(ask, 'too late');
  });
});

describe('the kernel’s death', () => {
  it.each([
    ['killed', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)', 'signal 9'],
    ['left by the code', 'import os; os._exit(3)', 'code 3'],
    ['crashed', 'import ctypes; ctypes.string_at(0)', 'signal 11'],
  ])('%s: the cell fails, the rest is cancelled, outputs stay, and it is said', async (_name, source, words) => {
    const { session, notebook } = fixture;
    const dying = notebook.code(`print("begun", flush=True)\nimport time; time.sleep(0.3)\n${source}`);
    const next = notebook.code('1');
    const { run } = await start(dying, next);
    expect(await run).toMatchObject({ status: 'failed', failure: { key: dying, status: 'dead', error: null } });
    expect([state(dying), state(next)]).toEqual(['failed', 'cancelled']);
    expect(notebook.text(dying)).toBe('begun\n');
    const view = session.kernelView();
    expect(view.state).toBe('dead');
    expect(view.message).toContain(words);
    // Nothing runs by itself; the next run starts a new process.
    expect((await session.runCells([next])).status).toBe('ok');
    expect(session.kernelView()).toMatchObject({ state: 'idle', message: null, generation: 1 });
  });

  it('by `exit` is no failure, but nothing after it runs', async () => {
    const { session, notebook } = fixture;
    const leaving = notebook.code('print("bye")\nexit()');
    const next = notebook.code('1');
    const summary = await session.runCells([leaving, next]);
    expect(summary.cells.map(({ outcome }) => outcome)).toEqual(['done', 'cancelled']);
    await until(() => session.kernelView().state === 'dead', 'the kernel’s end');
  });

  it('is not what `sys.exit` is: that is an error of the cell', async () => {
    const { session, notebook } = fixture;
    const keys = [notebook.code('import sys; sys.exit(2)'), notebook.code('1')];
    const summary = await session.runCells(keys);
    expect(summary.failure?.error).toMatchObject({ ename: 'SystemExit', evalue: '2' });
    expect(session.kernelView().state).toBe('idle');
  });
});

it('shutdown cancels what runs, and the next run starts a new kernel', async () => {
  const { session, notebook, manager } = fixture;
  const loop = notebook.code('print("begun")\nwhile True: pass');
  const { run } = await start(loop);
  await session.shutdown();
  expect((await run).status).toBe('cancelled');
  expect(session.kernelView()).toMatchObject({ state: 'none', message: null });
  expect(manager.kernels.size).toBe(0);
  const key = notebook.code('1');
  expect((await session.runCells([key])).status).toBe('ok');
});

it('a restart that fails takes nothing from a later one: displays of before still change', async () => {
  const spec = pythonSpec();
  const { session, notebook, close } = await openSession({ spec });
  try {
    const shown = notebook.code('h = display("old", display_id="k")');
    await session.runCells([shown]);
    const { argv } = spec;
    spec.argv = [argv[0]!, '-c', 'raise SystemExit("broken on purpose")'];
    await expect(session.restart()).rejects.toThrow();
    spec.argv = argv;
    await session.restart();
    const again = notebook.code('from IPython.display import update_display; update_display("new", display_id="k")');
    expect((await session.runCells([again])).status).toBe('ok');
    await until(() => notebook.text(shown) === "<'new'>", 'the update');
  } finally {
    await close();
  }
});

it.each(['shutdown', 'restart'] as const)('what a kernel says while it ends by %s is of no cell that is over', async (how) => {
  const { session, notebook } = fixture;
  const ticking = 'import threading, time\ndef tick():\n    while True: print("tick", flush=True); time.sleep(0.002)\n';
  const key = notebook.code(`${ticking}print("begun")\nthreading.Thread(target=tick, daemon=True).start()`);
  await session.runCells([key]);
  await until(() => notebook.text(key).includes('tick'), 'the thread');
  const ended = session[how]();
  const before = notebook.text(key);
  await ended;
  expect(notebook.text(key)).toBe(before);
});

it('a fork that never exits is told of while nothing runs, runs no cell twice, and a restart ends it', { timeout: 120_000 }, async () => {
  const { session, notebook } = fixture;
  const fork = notebook.code('import os\nchild = os.fork()\nif child == 0:\n    while True: pass\nprint(child)');
  await session.runCells([fork]);
  const child = Number(notebook.text(fork));
  expect(session.kernelView()).toMatchObject({ state: 'idle', message: null });
  await until(() => session.kernelView().message !== null, 'the word about the fork', 90_000);
  expect(session.kernelView().message).toMatch(
    new RegExp(`^A process that a cell left behind keeps a processor busy: python\\S* ${child}\\. A restart`),
  );
  expect(session.kernelView().restartHelps).toBe(true);
  const next = notebook.code('print("next")');
  expect((await session.runCells([next])).status).toBe('ok');
  expect(notebook.text(next)).toBe('next\n');
  await session.restart();
  expect(session.kernelView().message).toBeNull();
  expect(isAlive(child)).toBe(false);
});
