/** Unsaved work through a crash: what comes back, in which document, and that a newer file always wins. */
import { copyFileSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { recover } from '../../../../main/documents/journal/recovery.ts';
import { deleteCells, insertCells, moveCell, setCellType } from '../../../../preload/notebook-model.ts';
import { code, markdown, notebook, stream, temporaryFolder, usual } from '../temporary-folder.ts';
import {
  copied,
  crash,
  endSessions,
  journaled,
  journalFolders,
  keptFolders,
  nextStart,
  recordsIn,
  type Session,
  session,
  sources,
  type as typeIn,
  until,
} from './profile.ts';

const folder = temporaryFolder();
afterEach(endSessions);
const profile = (): string => folder.path('profile');
const three = (): string => usual(notebook([code(['a = 1']), markdown(['# Title']), code(['b = 2'])]));

async function opened(content = three()): Promise<Session & { path: string; document: Awaited<ReturnType<Session['store']['open']>> }> {
  const path = folder.write('a.ipynb', content);
  const started = session(profile());
  return { ...started, path, document: await started.store.open(path) };
}

describe('what is typed', () => {
  it('comes back after a crash, marked unsaved, and the file is as it was', async () => {
    const { document, path } = await opened();
    typeIn(document, 0, 'a = 1\nprint("é\u2028")');
    typeIn(document, 2, 'b = 3');
    await journaled(profile(), 'b = 3');
    crash(profile());
    const { recovered } = await nextStart(profile());
    expect(recovered).toHaveLength(1);
    const again = recovered[0]!.document;
    expect(again.path).toBe(path);
    expect(sources(again)).toEqual(['a = 1\nprint("é\u2028")', '# Title', 'b = 3']);
    expect(again.dirty).toBe(true);
    expect(folder.read('a.ipynb')).toBe(three());
    await again.save();
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([['a = 1\n', 'print("é\u2028")'], ['# Title'], ['b = 3']]);
  });

  it('is written in small pieces, and a source is followed from splice to splice', async () => {
    const long = 'x'.repeat(20_000);
    const { document } = await opened(usual(notebook([code([long])])));
    for (const [round, ending] of ['1', '12', ''].entries()) {
      typeIn(document, 0, `${long.slice(0, 10_000)}${ending}${long.slice(10_000)}!`);
      await until(async () => {
        const records = (await Promise.all(journalFolders(profile()).map(recordsIn))).flat();
        return records.filter((record) => record.t === 'cell').length > round;
      });
    }
    const cells = (await recordsIn(journalFolders(profile())[0]!)).filter((record) => record.t === 'cell');
    expect(cells.slice(1).every((cell) => Array.isArray(cell.source) && cell.source[2].length <= 2)).toBe(true);
    crash(profile());
    const { recovered } = await nextStart(profile());
    expect(sources(recovered[0]!.document)).toEqual([`${long}!`]);
  });

  it('can be undone by a window as one step', async () => {
    const { document } = await opened();
    typeIn(document, 0, 'changed');
    deleteCells(document.ydoc, [document.keys()[1]!]);
    await journaled(profile(), 'changed');
    await until(async () =>
      (await recordsIn(journalFolders(profile())[0]!)).some((record) => record.t === 'order' && record.keys.length === 2),
    );
    crash(profile());
    const { before, change, document: again } = (await nextStart(profile())).recovered[0]!;
    const replica = new Y.Doc();
    Y.applyUpdate(replica, before);
    const undo = new Y.UndoManager(replica.getMap('cells'), { trackedOrigins: new Set(['me']) });
    Y.applyUpdate(replica, change, 'me');
    expect(sources(again)).toEqual(['changed', 'b = 2']);
    undo.undo();
    Y.applyUpdate(again.ydoc, Y.encodeStateAsUpdate(replica));
    expect(sources(again)).toEqual(['a = 1', '# Title', 'b = 2']);
    expect(again.dirty).toBe(false);
  });

  it('in a notebook without a file comes back without one', async () => {
    const { store } = session(profile());
    const document = store.create({ folder: folder.path(), kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } });
    typeIn(document, 0, 'never saved');
    document.setKernelspec({ name: 'other', display_name: 'Other', language: 'python' });
    await journaled(profile(), 'never saved');
    await journaled(profile(), 'Other');
    await copied(profile());
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect([again.path, again.title, again.folder, again.dirty]).toEqual([null, 'Untitled.ipynb', folder.path(), true]);
    expect(sources(again)).toEqual(['never saved']);
    expect(again.metadata().kernelspec).toMatchObject({ name: 'other' });
  });

  it('is restored once: the next crash brings it once more, and a save ends it', async () => {
    const { document } = await opened();
    typeIn(document, 0, 'first');
    await journaled(profile(), 'first');
    crash(profile());
    const { recovered } = await nextStart(profile());
    typeIn(recovered[0]!.document, 2, 'second');
    await journaled(profile(), 'second');
    expect(journalFolders(profile())).toHaveLength(1);
    crash(profile());
    const third = await nextStart(profile());
    expect(third.recovered.map((each) => sources(each.document))).toEqual([['first', '# Title', 'second']]);
    await third.recovered[0]!.document.save();
    await until(() => journalFolders(profile()).length === 0);
    expect((await nextStart(profile())).recovered).toEqual([]);
  });
});

describe('cells', () => {
  it('that were added, moved, retyped and deleted come back so', async () => {
    const { document } = await opened(usual(notebook([code(['0']), code(['1']), code(['2']), code(['3']), code(['4'])])));
    const { ydoc } = document;
    const [first, second, , , last] = document.keys();
    moveCell(ydoc, last!, 0);
    deleteCells(ydoc, [second!]);
    setCellType(ydoc, first!, 'markdown');
    insertCells(ydoc, 2, [
      { key: 'new-1', id: null, type: 'raw', source: 'new', metadata: { tags: ['x'] } },
      { key: 'new-2', id: null, type: 'code', source: 'newer', metadata: {} },
    ]);
    await journaled(profile(), 'newer');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    await again.save();
    await document.saveAs(folder.path('b.ipynb'));
    expect(sources(again)).toEqual(['4', '0', 'new', 'newer', '2', '3']);
    expect(folder.read('a.ipynb')).toBe(folder.read('b.ipynb'));
  });

  it('a thousand of them, everywhere, come back in a moment', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => code([String(index)]));
    const { document } = await opened(usual(notebook(many)));
    document.ydoc.transact(() => {
      for (let index = 1000; index >= 1; index -= 2) {
        insertCells(document.ydoc, index, [{ key: `new-${index}`, id: null, type: 'code', source: `new ${index}`, metadata: {} }]);
      }
    });
    await journaled(profile(), 'new 2');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect(sources(again)).toEqual(sources(document));
  });
});

describe('outputs and counts', () => {
  it('of runs come back, streamed or replaced, and say what they come from', async () => {
    const { document } = await opened();
    const key = document.keys()[0]!;
    document.beginRun(key, 'a = 1');
    document.setExecutionCount(key, 7);
    document.applyOutputs(key, [stream('one\n')]);
    await journaled(profile(), 'one\n');
    document.applyOutputs(key, [{ op: 'text', index: 0, at: 4, remove: 0, insert: 'two\n' }]);
    document.applyOutputs(key, [{ op: 'append', output: { type: 'error', ename: 'E', evalue: 'v', traceback: [] } }]);
    typeIn(document, 0, 'a = 10');
    await journaled(profile(), 'ename');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    const same = again.keys()[0]!;
    expect(again.outputs(same)).toEqual([
      { type: 'stream', name: 'stdout', text: 'one\ntwo\n' },
      { type: 'error', ename: 'E', evalue: 'v', traceback: [] },
    ]);
    expect([again.executionCount(same), again.staleOutputs(same), again.trusted]).toEqual([7, true, true]);
  });

  it('of a run without output come back, too', async () => {
    const { document } = await opened();
    document.beginRun(document.keys()[0]!, 'a = 1');
    document.setExecutionCount(document.keys()[0]!, 3);
    await journaled(profile(), 'producedFrom');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect(again.executionCount(again.keys()[0]!)).toBe(3);
  });

  it('that are cleared a thousand times a second cost their last state only', async () => {
    const { document } = await opened();
    const key = document.keys()[0]!;
    document.beginRun(key, 'a = 1');
    for (let frame = 0; frame < 5000; frame += 1) document.applyOutputs(key, [{ op: 'clear' }, stream(`${'frame '.repeat(100)}${frame}`)]);
    for (let line = 0; line < 5000; line += 1) document.applyOutputs(key, [stream(`${line}\n`)]);
    await journaled(profile(), '4999\n');
    expect(statSync(join(journalFolders(profile())[0]!, 'changes.log')).size).toBeLessThan(1_000_000);
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect(again.outputs(again.keys()[0]!)).toEqual(document.outputs(key));
  });

  it.each<[string, boolean]>([
    ['of the file', false],
    ['of a run', true],
  ])('%s come back when a cell that was text at the crash is made code again', async (_which, isRun) => {
    const stored = [{ name: 'stdout', output_type: 'stream', text: ['stored\n'] }];
    const { document } = await opened(usual(notebook([code(['a'], { outputs: stored, execution_count: 3 })])));
    const key = document.keys()[0]!;
    if (isRun) {
      document.beginRun(key, 'a');
      document.setExecutionCount(key, 4);
      document.applyOutputs(key, [stream('live\n')]);
      await journaled(profile(), 'live\n');
    }
    setCellType(document.ydoc, key, 'markdown');
    typeIn(document, 0, 'text now');
    await journaled(profile(), 'text now');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    const [place] = again.keys() as [string];
    expect([again.cell(place)!.type, again.outputs(place)]).toEqual(['markdown', []]);
    setCellType(again.ydoc, place, 'code');
    expect(again.outputs(place)).toMatchObject([{ text: isRun ? 'live\n' : 'stored\n' }]);
    expect(again.executionCount(place)).toBe(isRun ? 4 : 3);
  });

  it('of the file are untrusted after a restore as they were before', async () => {
    const html = { output_type: 'display_data', data: { 'text/html': ['<b>x</b>'] }, metadata: {} };
    const { document } = await opened(usual(notebook([code(['a'], { outputs: [html] })])));
    const key = document.keys()[0]!;
    setCellType(document.ydoc, key, 'markdown');
    setCellType(document.ydoc, key, 'code');
    document.applyOutputs(key, [stream('late')]);
    typeIn(document, 0, 'edited');
    await journaled(profile(), 'late');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect(again.outputCount(again.keys()[0]!)).toBe(2);
    expect(again.trusted).toBe(false);
  });
});

describe('a file that is another than when the work began', () => {
  const changed = (): string => usual(notebook([code(['from outside'])]));

  async function crashedWithChanges(): Promise<void> {
    const { document } = await opened(
      usual(notebook([code(['a = 1'], { outputs: [{ output_type: 'stream', name: 'stdout', text: ['kept\n'] }] }), markdown(['# Title'])])),
    );
    typeIn(document, 1, '# My title');
    await journaled(profile(), '# My title');
    await copied(profile());
    crash(profile());
  }

  it('wins, and the work is a second document beside it', async () => {
    await crashedWithChanges();
    folder.write('a.ipynb', changed());
    const { recovered, store } = await nextStart(profile());
    const again = recovered[0]!.document;
    expect([again.path, again.title, again.folder, again.dirty]).toEqual([null, 'a (recovered).ipynb', folder.path(), true]);
    expect(sources(again)).toEqual(['a = 1', '# My title']);
    expect(again.outputs(again.keys()[0]!)).toMatchObject([{ text: 'kept\n' }]);
    expect(again.notices.join()).toContain('a.ipynb');
    expect(folder.read('a.ipynb')).toBe(changed());
    expect(sources(await store.open(folder.path('a.ipynb')))).toEqual(['from outside']);
  });

  it('wins also when it is changed between the start and the answer', async () => {
    await crashedWithChanges();
    const next = session(profile());
    const [left] = await next.journals.takeLeft();
    expect(left!.state).toBe('same');
    folder.write('a.ipynb', changed());
    const { document } = await recover(left!, next.store, next.journals, 'test');
    expect([document.path, sources(document)]).toEqual([null, ['a = 1', '# My title']]);
  });

  it('is no other when it was only touched or copied', async () => {
    await crashedWithChanges();
    copyFileSync(folder.path('a.ipynb'), folder.path('b.ipynb'));
    writeFileSync(folder.path('a.ipynb'), readFileSync(folder.path('b.ipynb')));
    utimesSync(folder.path('a.ipynb'), 1, 1);
    const { recovered } = await nextStart(profile());
    expect(recovered[0]!.document.path).toBe(folder.path('a.ipynb'));
  });

  it('that is gone is not made again', async () => {
    await crashedWithChanges();
    rmSync(folder.path('a.ipynb'));
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect([again.path, again.title]).toEqual([null, 'a (recovered).ipynb']);
    expect(folder.names()).not.toContain('a.ipynb');
  });

  it('leaves the work beside it also when the person has typed in it meanwhile', async () => {
    await crashedWithChanges();
    const next = session(profile());
    const [left] = await next.journals.takeLeft();
    const document = await next.store.open(folder.path('a.ipynb'));
    typeIn(document, 0, 'typed before the answer');
    const recovered = await recover(left!, next.store, next.journals, 'test');
    expect(recovered.document).not.toBe(document);
    expect([sources(document)[0], sources(recovered.document)[1]]).toEqual(['typed before the answer', '# My title']);
  });
});

describe('a save', () => {
  it('leaves no journal', async () => {
    const { document } = await opened();
    typeIn(document, 0, 'saved');
    await journaled(profile(), 'saved');
    await document.save();
    await until(() => journalFolders(profile()).length === 0);
  });

  it('that a crash follows at once is not restored', async () => {
    const { document } = await opened();
    typeIn(document, 0, 'saved');
    await document.save();
    crash(profile());
    expect((await nextStart(profile())).recovered).toEqual([]);
    expect(folder.json().cells[0]!.source).toEqual(['saved']);
  });

  it('has what was typed before its copy and not what was typed after', async () => {
    const { document } = await opened();
    typeIn(document, 0, 'before');
    // Told right before the save takes its copy, at once.
    const end = document.on('state', () => queueMicrotask(() => typeIn(document, 2, 'after')));
    const saving = document.save();
    await until(() => sources(document)[2] === 'after');
    end();
    await saving;
    expect(folder.read('a.ipynb')).not.toContain('after');
    await journaled(profile(), 'after');
    crash(profile());
    const { recovered } = await nextStart(profile());
    expect(sources(recovered[0]!.document)).toEqual(['before', '# Title', 'after']);
  });

  it('under a name ends the journal of a notebook without one', async () => {
    const { store } = session(profile());
    const document = store.create({ folder: folder.path() });
    typeIn(document, 0, 'x');
    await journaled(profile(), '"x"'.slice(1, -1));
    await document.saveAs(folder.path('named.ipynb'));
    crash(profile());
    expect((await nextStart(profile())).recovered).toEqual([]);
  });
});

describe('a document that is closed', () => {
  it('without unsaved work leaves nothing', async () => {
    const { document, store } = await opened();
    typeIn(document, 0, 'x = 1');
    await journaled(profile(), 'x = 1');
    typeIn(document, 0, 'a = 1');
    store.close(document.id);
    await until(() => journalFolders(profile()).length === 0);
    expect(keptFolders(profile())).toEqual([]);
  });

  it('with unsaved work is not offered again, but kept for a while', async () => {
    const { document, store } = await opened();
    typeIn(document, 0, 'given up');
    store.close(document.id);
    await until(() => keptFolders(profile()).length === 1);
    crash(profile());
    expect((await nextStart(profile())).recovered).toEqual([]);
    expect(keptFolders(profile())).toHaveLength(1);
    const month = Date.now() / 1000 - 30 * 24 * 3600;
    utimesSync(join(profile(), 'kept', keptFolders(profile())[0]!), month, month);
    await nextStart(profile());
    expect(keptFolders(profile())).toEqual([]);
  });

  it('because the app ends by a signal is offered at the next start', async () => {
    const { document, store, journals } = await opened();
    typeIn(document, 0, 'not asked');
    await journals.appEnds();
    store.close(document.id);
    crash(profile());
    expect((await nextStart(profile())).recovered.map((each) => sources(each.document)[0])).toEqual(['not asked']);
  });
});

describe('a notebook whose file is gone', () => {
  it('comes back as it was, also when nothing in it had changed, and once more after the next crash', async () => {
    const { document } = await opened();
    rmSync(folder.path('a.ipynb'));
    await document.checkDisk();
    await copied(profile());
    crash(profile());
    const first = (await nextStart(profile())).recovered[0]!.document;
    expect([first.path, first.dirty, sources(first)]).toEqual([null, true, ['a = 1', '# Title', 'b = 2']]);
    await until(async () => (await recordsIn(journalFolders(profile())[0]!)).some((record) => record.t === 'head' && record.path === null));
    await copied(profile());
    crash(profile());
    const second = (await nextStart(profile())).recovered[0]!.document;
    expect([second.title, sources(second)]).toEqual(['a (recovered).ipynb', ['a = 1', '# Title', 'b = 2']]);
  });
});

it('a cell that a save leaves out because of a conflict is unsaved after a crash', async () => {
  const { document } = await opened();
  typeIn(document, 0, 'mine');
  typeIn(document, 2, 'b = 3');
  folder.write('a.ipynb', usual(notebook([code(['theirs']), markdown(['# Title']), code(['b = 2'])])));
  await document.save().catch(() => undefined);
  expect(folder.json().cells.map((cell) => cell.source)).toEqual([['theirs'], ['# Title'], ['b = 3']]);
  crash(profile());
  const again = (await nextStart(profile())).recovered[0]!.document;
  expect(sources(again)).toEqual(['mine', '# Title', 'b = 3']);
});
