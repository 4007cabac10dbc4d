/** The pool with real kernels: who shares, who makes room, who waits, what is swept, and what is left at the end. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runPython } from '../../../main/execution/agents/python-run.ts';
import { until } from '../execution/session-fixture.ts';
import { isAlive, openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

let fixture: PoolFixture;
let python: PoolFixture['python'];

beforeEach(async () => {
  fixture = await openPool();
  python = fixture.python;
});
afterEach(() => fixture.close());

const PID = 'import os; os.getpid()';

/** A call that runs until the file `go` is in its folder. */
const UNTIL_TOLD = 'import os, time\nwhile not os.path.exists("go"): time.sleep(.02)';

function cwds(): string[] {
  return fixture.pool
    .list()
    .map(({ cwd }) => cwd.slice(fixture.folder.length + 1))
    .sort();
}

describe('sessions', () => {
  test('two first calls at the same time make one kernel', async () => {
    const calls = [python('a = 1'), python('a + 1')];
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(['(no output)', '2']);
    expect(fixture.starts.length).toBe(1);
  });

  test('are told apart by folder and session file', async () => {
    const [one, two] = [await fixture.place('one'), await fixture.place('two')];
    const pids = [
      await python(PID, { cwd: one }),
      await python(PID, { cwd: two }),
      await python(PID, { cwd: one, sessionFile: '/x/s.json' }),
      await python(PID, { cwd: one }),
    ].map(({ text }) => text);
    expect(new Set(pids).size).toBe(3);
    expect(pids[3]).toBe(pids[0]);
  });

  test('the fifth takes the place of the one that was used least recently, which is told so when it comes again', async () => {
    const places = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => fixture.place(name)));
    const pids: number[] = [];
    for (const cwd of places.slice(0, 4)) {
      pids.push(Number((await python(PID, { cwd })).text));
      fixture.clock.pass(1_000);
    }
    await python('x = 1', { cwd: places[0] });
    fixture.clock.pass(1_000);
    expect((await python('1', { cwd: places[4] })).text).toBe('1');
    expect(cwds()).toEqual(['a', 'c', 'd', 'e']);
    expect(pids.map(isAlive)).toEqual([true, false, true, true]);
    fixture.clock.pass(1_000);
    expect((await python('2', { cwd: places[1] })).text).toBe(
      '[The kernel was shut down to make room for another session. A fresh kernel was started; variables from before are gone.]\n2',
    );
    expect(cwds()).toEqual(['a', 'b', 'd', 'e']);
    expect((await python('x', { cwd: places[0] })).text).toBe('1');
  });

  test('that are busy are never ended: the newcomer waits in sight, in order, and may leave', async () => {
    const places = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => fixture.place(name)));
    const running = places.slice(0, 4).map((cwd) => python(UNTIL_TOLD, { cwd }));
    await until(() => fixture.pool.list().length === 4, 'four sessions');
    const cancel = new AbortController();
    const seen: string[] = [];
    const e = python('"e"', { cwd: places[4] }, { signal: cancel.signal, onProgress: ({ message }) => seen.push(message) });
    const f = python('"f"', { cwd: places[5] }, { onProgress: ({ message }) => seen.push(message) });
    const late = python('"g"', { cwd: places[6], timeout: 1 });
    expect((await late).text).toBe(
      'Command timed out after 1 seconds\nIt waited for room, because every session was busy. Nothing was run.',
    );
    await until(() => seen.some((message) => message.includes('position 2')), 'their places');
    expect(seen).toContain('Waiting for room: every session is busy (position 1)');
    fixture.clock.pass(60 * 60_000);
    expect(cwds()).toEqual(['a', 'b', 'c', 'd']);
    cancel.abort();
    expect((await e).text).toMatch(/^Cancelled\.\nIt waited for room/);
    await writeFile(`${places[2]}/go`, '');
    expect((await f).text).toBe("'f'");
    expect(cwds()).toEqual(['a', 'b', 'd', 'f']);
    for (const cwd of places) await writeFile(`${cwd}/go`, '');
    expect((await Promise.all(running)).every(({ isError }) => !isError)).toBe(true);
  });

  test('are swept after five minutes without use, and at once when they are dead', async () => {
    const [idle, used, dead] = await Promise.all(['idle', 'used', 'dead'].map((name) => fixture.place(name)));
    for (const cwd of [idle, used, dead]) await python('x = 1', { cwd });
    const pids = fixture.pool.list().map(({ pid }) => pid!);
    fixture.clock.pass(4 * 60_000);
    await python('1', { cwd: used });
    process.kill(pids[2]!, 'SIGKILL');
    await until(() => fixture.pool.list().some(({ state }) => state === 'dead'), 'its end');
    fixture.clock.pass(30_000);
    expect(cwds()).toEqual(['idle', 'used']);
    fixture.clock.pass(30_000);
    expect(cwds()).toEqual(['used']);
    await until(() => !isAlive(pids[0]!), 'the end of the kernel');
    expect((await python('1', { cwd: idle })).text).toContain('The kernel was shut down after 5 minutes without use.');
    expect((await python('1', { cwd: dead })).text).toContain('killed by signal 9');
  });

  test('that are pinned stay and are not counted', async () => {
    const places = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => fixture.place(name)));
    await python('1', { cwd: places[0] });
    const unpin = fixture.pool.pin(fixture.pool.list()[0]!.key)!;
    for (const cwd of places.slice(1)) await python('1', { cwd });
    expect(cwds()).toEqual(['a', 'b', 'c', 'd', 'e']);
    fixture.clock.pass(60 * 60_000);
    expect(cwds()).toEqual(['a']);
    expect(fixture.pool.list()[0]!.pinned).toBe(true);
    unpin();
    fixture.clock.pass(30_000);
    expect(cwds()).toEqual([]);
  });

  test('end when the last of their owners leaves, and not while they run', async () => {
    await python('x = 1', {}, { owner: 'one' });
    const call = python('import time; time.sleep(1); x', {}, { owner: 'two' });
    await until(() => fixture.pool.list()[0]?.state === 'busy', 'the cell');
    fixture.pool.leave('one');
    expect(fixture.pool.list()[0]!.owners).toEqual(['two']);
    fixture.pool.leave('two');
    expect((await call).text).toBe('1');
    await until(() => fixture.manager.kernels.size === 0, 'the end of the kernel');
    expect(fixture.pool.list()).toEqual([]);
  });

  test('are listed with what they do', async () => {
    const call = python('import time; time.sleep(1)', {}, { owner: 'me' });
    const waiting = python('1');
    await until(() => fixture.pool.list()[0]?.state === 'busy', 'the cell');
    expect(fixture.pool.list()).toMatchObject([
      {
        cwd: fixture.folder,
        mode: 'session',
        sessionFile: null,
        owners: ['me', ''],
        name: 'Test Python',
        busy: true,
        waiting: 1,
        idleMs: 0,
      },
    ]);
    expect(fixture.pool.busy).toBe(true);
    await Promise.all([call, waiting]);
    fixture.clock.pass(500);
    expect(fixture.pool.list()).toMatchObject([{ state: 'idle', busy: false, waiting: 0, idleMs: 500 }]);
    expect(fixture.pool.busy).toBe(false);
  });

  test('whose kernel could not be started are none, and say why', async () => {
    await fixture.close();
    fixture = await openPool({ spec: pythonSpec('/nowhere/python') });
    const { text, isError, structuredContent } = await fixture.python(['1', '2']);
    expect(isError).toBe(true);
    expect(text).toContain('/nowhere/python was not found');
    expect(structuredContent.cells.map(({ status }) => status)).toEqual(['error', 'pending']);
    await until(() => fixture.pool.list().length === 0, 'the end of the session');
  });
});

describe('a kernel for one call', () => {
  test.each([
    ['success', PID, {}],
    ['failure', `${PID}\nprint(os.getpid())\nraise ValueError`, {}],
    ['a timeout', 'import os, time; print(os.getpid(), flush=True); time.sleep(1000)', { timeout: 3 }],
    ['its own death', 'import os, time; print(os.getpid(), flush=True); time.sleep(.5); os._exit(1)', {}],
  ])('is gone after %s', async (_name, code, request) => {
    const { text } = await python(code, { kernelMode: 'per-call', ...request });
    const pids = [...text.matchAll(/^\d+$/gm)].map(([pid]) => Number(pid));
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(fixture.manager.kernels.size).toBe(0);
    expect(fixture.pool.list()).toEqual([]);
  });

  test('is gone after a cancel, also when the code does not listen', async () => {
    const cancel = new AbortController();
    const deaf = 'import os, time\nprint(os.getpid(), flush=True)\nwhile True:\n  try: time.sleep(.1)\n  except KeyboardInterrupt: pass';
    const { text } = await python(
      deaf,
      { kernelMode: 'per-call' },
      { signal: cancel.signal, graceMs: 300, onProgress: ({ cells }) => cells[0]!.output !== '' && cancel.abort() },
    );
    expect(text).toMatch(/^\d+\nCancelled\.$/);
    expect(isAlive(Number(text.split('\n')[0]))).toBe(false);
    expect(fixture.manager.kernels.size).toBe(0);
  });

  test('has nothing of the one before it, and does not count as a session', async () => {
    const places = await Promise.all(['a', 'b', 'c', 'd'].map((name) => fixture.place(name)));
    for (const cwd of places) await python('x = 1', { cwd });
    const { text } = await python(['"x" in globals()', 'x = 2', 'x'], { cwd: places[0], kernelMode: 'per-call' });
    expect(text).toBe('[1/3]\nFalse\n\n[2/3]\n(no output)\n\n[3/3]\n2');
    expect(fixture.pool.list().length).toBe(4);
    expect((await python('x', { cwd: places[0] })).text).toBe('1');
  });

  test('runs beside others of its kind', async () => {
    const calls = await Promise.all(
      [1, 2].map(() => python('import time; time.sleep(.5); import os; os.getpid()', { kernelMode: 'per-call' })),
    );
    expect(new Set(calls.map(({ text }) => text)).size).toBe(2);
  });

  test('leaves nothing to be kept: a failure says to send everything again', async () => {
    const { text } = await python(['1', '1 / 0'], { kernelMode: 'per-call' });
    expect(text).toContain('The kernel was for this call alone, so send all cells again.');
  });
});

test('closing the pool ends what runs and waits, and refuses what comes', async () => {
  const call = python('import time; time.sleep(1000)');
  const waiting = python('1');
  const once = python('import time; time.sleep(1000)', { kernelMode: 'per-call' });
  await until(() => fixture.pool.list().filter(({ state }) => state === 'busy').length === 2, 'both cells');
  await fixture.pool.close();
  expect(fixture.manager.kernels.size).toBe(0);
  for (const result of await Promise.all([call, waiting, once])) expect(result.text).toMatch(/shut down/);
  const late = await runPython(fixture.pool, { cells: [{ code: '1' }], cwd: fixture.folder });
  expect(late.text).toMatch(/The session was shut down/);
});

describe('progress', () => {
  test('tells each state and the text as it comes, not too often, and the last word is the whole', async () => {
    await python('1');
    const told: { at: number; statuses: string; output: string; message: string; done: number }[] = [];
    const code = 'import time\nfor i in range(30):\n  print(i, flush=True); time.sleep(.02)';
    const result = await python(
      [code, 'print("second")'],
      {},
      {
        onProgress: ({ cells, message, done }) =>
          told.push({ at: performance.now(), statuses: cells.map(({ status }) => status).join(), output: cells[0]!.output, message, done }),
      },
    );
    expect(result.isError).toBe(false);
    const gaps = told.slice(1).map(({ at }, index) => at - told[index]!.at);
    expect(gaps.every((gap) => gap >= 99)).toBe(true);
    expect(told.map(({ statuses }) => statuses)).toContain('running,pending');
    expect(told.some(({ output, statuses }) => output.startsWith('0\n') && statuses.startsWith('running'))).toBe(true);
    expect(told.find(({ statuses }) => statuses === 'running,pending')!.message).toBe('Running cell 1 of 2');
    expect(told.at(-1)).toMatchObject({ statuses: 'complete,complete', done: 2 });
    // Text only grows, as long as nothing clears it.
    told.slice(1).forEach(({ output }, index) => {
      expect(output.startsWith(told[index]!.output)).toBe(true);
    });
  });
});
