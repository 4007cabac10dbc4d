/** Which cells run, in which order, and what state each is left in. Real kernel. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, pythonSpec, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
beforeAll(async () => {
  fixture = await openSession();
});
afterAll(() => fixture.close());

function state(key: string): string | undefined {
  return fixture.session.runs().get(key)?.state;
}

describe('a run', () => {
  it('goes through queued and running to done, with count, start and duration', async () => {
    const { session, notebook } = fixture;
    const seen: string[] = [];
    const key = notebook.code('import time; time.sleep(0.1); print("hi"); 1 + 1');
    const stop = session.on('runs', (keys) => keys.includes(key) && seen.push(state(key)!));
    const before = Date.now();
    const summary = await session.runCells([key]);
    stop();
    expect([...new Set(seen)]).toEqual(['queued', 'running', 'done']);
    expect(summary).toEqual({ status: 'ok', cells: [{ key, outcome: 'done' }], failure: null });
    expect(notebook.text(key)).toBe('hi\n<2>');
    const run = session.runs().get(key)!;
    expect(run.executionCount).toBe(notebook.cell(key)!.count);
    expect(run.startedAt).toBeGreaterThanOrEqual(before);
    expect(run.durationMs).toBeGreaterThanOrEqual(95);
    expect(notebook.languageInfo).toMatchObject({ name: 'python' });
    expect(session.kernelView()).toMatchObject({ state: 'idle', name: 'Test Python', language: 'python', message: null, queued: 0 });
  });

  it('stops at the first failure, and what waits is cancelled', async () => {
    const { session, notebook } = fixture;
    const [good, bad, rest, last] = ['1', 'raise ValueError("no")', '3', '4'].map((source) => notebook.code(source));
    const summary = await session.runCells([good!, bad!, rest!, last!]);
    expect(summary.status).toBe('failed');
    expect(summary.failure).toMatchObject({ key: bad, status: 'error', error: { ename: 'ValueError', evalue: 'no' } });
    expect([good, bad, rest, last].map((key) => state(key!))).toEqual(['done', 'failed', 'cancelled', 'cancelled']);
    expect(notebook.text(rest!)).toBe('');
    expect(notebook.cell(rest!)!.begun).toBe(0);
  });

  it('goes on after a failure where that is allowed, by option or by tag', async () => {
    const { session, notebook } = fixture;
    const bad = notebook.code('raise ValueError(1)');
    const next = notebook.code('"next"');
    const summary = await session.runCells([bad, next], { allowErrors: true });
    expect(summary.cells.map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
    const expected = notebook.code('raise ValueError(2)', { tags: ['raises-exception'] });
    expect((await session.runCells([expected, next])).status).toBe('ok');
    expect(state(expected)).toBe('done');
    expect(notebook.text(expected)).toBe('<ValueError: 2>');
  });

  it('leaves out what is no code, what is tagged, and what is gone', async () => {
    const { session, notebook } = fixture;
    const text = notebook.code('# title', {}, 'markdown');
    const raw = notebook.code('raw', {}, 'raw');
    const skipped = notebook.code('print("long")', { tags: ['skip-execution'] });
    const slow = notebook.code('import time; time.sleep(0.3)');
    const deleted = notebook.code('print("deleted")');
    const last = notebook.code('"last"');
    const run = session.runCells([text, raw, skipped, slow, deleted, last, 'never there']);
    await until(() => state(slow) === 'running', 'the slow cell');
    notebook.cells.delete(deleted);
    const summary = await run;
    expect(summary.status).toBe('ok');
    expect(summary.cells.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped', 'done', 'skipped', 'done', 'skipped']);
    expect(session.runs().has(deleted)).toBe(false);
    expect(state(text)).toBe('idle');
  });

  it('of a cell that is deleted meanwhile goes on without it', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('import time; time.sleep(0.3); print("x")');
    const next = notebook.code('"next"');
    const run = session.runCells([key, next]);
    await until(() => state(key) === 'running', 'the cell');
    notebook.cells.delete(key);
    await run;
    expect(session.runs().has(key)).toBe(false);
    expect(notebook.text(next)).toBe("<'next'>");
  });

  it('of an empty or blank cell clears it and does not reach the kernel', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print(1)');
    await session.runCells([key]);
    const count = notebook.cell(key)!.count!;
    notebook.cell(key)!.source = ' \n\t\n';
    await session.runCells([key]);
    expect(state(key)).toBe('done');
    expect(notebook.cell(key)).toMatchObject({ outputs: [], count: null });
    const next = notebook.code('1');
    await session.runCells([next]);
    expect(notebook.cell(next)!.count).toBe(count + 1);
  });

  it('reads the source when its turn comes, and sends line feeds alone', async () => {
    const { session, notebook } = fixture;
    const slow = notebook.code('import time; time.sleep(0.3)');
    const edited = notebook.code('print("old")');
    const run = session.runCells([slow, edited]);
    await until(() => state(slow) === 'running', 'the slow cell');
    notebook.cell(edited)!.source = 'text = """a\r\nb\rc\n"""\r\nprint(repr(text))';
    await run;
    expect(notebook.text(edited)).toBe("'a\\nb\\nc\\n'\n");
  });
});

describe('asked for again', () => {
  it('a cell that waits is not queued twice; one that runs is run once more', async () => {
    const { session, notebook } = fixture;
    const slow = notebook.code('import time; time.sleep(0.3)');
    const other = notebook.code('"other"');
    const runs = [session.runCells([slow, other])];
    await until(() => state(slow) === 'running', 'the slow cell');
    runs.push(session.runCells([other]), session.runCells([slow]), session.runCells([slow, other]));
    expect(state(slow)).toBe('running');
    const summaries = await Promise.all(runs);
    expect(summaries.every(({ status }) => status === 'ok')).toBe(true);
    expect([slow, other].map((key) => notebook.cell(key)!.begun)).toEqual([2, 1]);
    expect(notebook.cell(slow)!.count).toBe(notebook.cell(other)!.count! + 1);
  });

  it('quickly, cell after cell, each runs once and in order', async () => {
    const { session, notebook } = fixture;
    const keys = Array.from({ length: 6 }, (_, index) => notebook.code(`print(${index})`));
    await Promise.all(keys.map((key) => session.runCells([key])));
    const counts = keys.map((key) => notebook.cell(key)!.count!);
    expect(counts).toEqual(counts.map((_, index) => counts[0]! + index));
    expect(keys.map((key) => notebook.cell(key)!.begun)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

describe('the first run', () => {
  it('asked for twice at once makes one kernel', async () => {
    const second = await openSession();
    try {
      const { session, notebook, manager } = second;
      const keys = [notebook.code('import os; print(os.getpid())'), notebook.code('print(os.getpid())')];
      const both = [session.runCells([keys[0]!]), session.ensureKernel(), session.runCells([keys[1]!])];
      expect(session.kernelView()).toMatchObject({ state: 'starting', queued: 2 });
      expect(session.runs().get(keys[0]!)!.state).toBe('queued');
      await Promise.all(both);
      expect(manager.kernels.size).toBe(1);
      expect(notebook.text(keys[0]!)).toBe(notebook.text(keys[1]!));
    } finally {
      await second.close();
    }
  });

  it('says why the kernel could not start, and the next try is a new one', async () => {
    const spec = { ...pythonSpec(), argv: [pythonSpec().argv[0]!, '-c', 'import sys; sys.exit("broken on purpose")'] };
    const broken = await openSession({ spec });
    try {
      const { session, notebook } = broken;
      const keys = [notebook.code('1'), notebook.code('2')];
      const summary = await session.runCells(keys);
      expect(summary.status).toBe('cancelled');
      expect(keys.map((key) => session.runs().get(key)!.state)).toEqual(['cancelled', 'cancelled']);
      const view = session.kernelView();
      expect(view.state).toBe('none');
      expect(view.message).not.toBeNull();
      expect(view.detail).toContain('broken on purpose');
      await expect(session.ensureKernel()).rejects.toThrow();
      await session.selectSpec(pythonSpec());
      expect((await session.runCells(keys)).status).toBe('ok');
      expect(session.kernelView()).toMatchObject({ state: 'idle', message: null, detail: null });
    } finally {
      await broken.close();
    }
  });
});

describe('help from the kernel', () => {
  it('counts positions as the editor does, also after characters of two units', async () => {
    const { session, notebook } = fixture;
    await session.runCells([notebook.code('longish_name = {"a": 1}')]);
    const code = 'x = "\u{1f600}\u{1f600}"; longish_n';
    // The kernel's first completion loads its tools, which a busy machine takes longer for than anybody waits while typing.
    let found = await session.complete(code, code.length);
    for (let tries = 0; found.matches.length === 0 && tries < 20; tries += 1) found = await session.complete(code, code.length);
    expect(found.matches.map(({ text }) => text)).toContain('longish_name');
    expect(code.slice(found.start, found.end)).toBe('longish_n');
    const help = await session.inspect('"\u{1f600}"; len', 9);
    expect(help.text).toContain('Return the number of items');
    expect(help.text).not.toContain('\x1b');
    expect(await session.inspect('nothing_of_this_name', 5)).toEqual({ text: null });
  });

  it('is empty at once while code runs and where there is no kernel', async () => {
    const { session, notebook } = fixture;
    const slow = notebook.code('import time; time.sleep(1)');
    const run = session.runCells([slow]);
    await until(() => state(slow) === 'running', 'the slow cell');
    expect(await session.complete('le', 2)).toEqual({ matches: [], start: 2, end: 2 });
    expect(state(slow)).toBe('running');
    await run;
  });
});
