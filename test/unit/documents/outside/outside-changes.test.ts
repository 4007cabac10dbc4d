/** A live document whose file other programs change: what is taken in, what stays, what is asked. Real files, real Yjs. */
import { statSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { findProblems } from '../../../../main/documents/validate.ts';
import { deleteCells, insertCells, moveCell, setSource } from '../../../../preload/notebook-model.ts';
import { code, markdown, notebook, saveCode, stream, usual } from '../temporary-folder.ts';
import { notices, outsideFolder, sources, three, withCells } from './outside-folder.ts';

const { folder, replaceFile, texts } = outsideFolder();

function output(text: string): Record<string, unknown> {
  return { name: 'stdout', output_type: 'stream', text: [text] };
}

describe('a notebook without unsaved work takes the version of the disk', () => {
  it.each([
    ['replaced', replaceFile],
    ['written in place', (content: string) => void folder.write('a.ipynb', content)],
  ])('%s: cells keep their keys, nothing is unsaved, the new bytes stay', async (_how, write) => {
    const document = await folder.open(three);
    const told = notices(document);
    const keys = document.keys();
    const text = withCells(code(['one']), markdown(['two, theirs']), code(['new']), code(['three']));
    write(text);
    await document.checkDisk();
    expect(sources(document)).toEqual(['one', 'two, theirs', 'new', 'three']);
    expect([0, 1, 3].map((place) => document.keys()[place])).toEqual(keys);
    expect(document.dirty).toBe(false);
    expect(told).toEqual(['a.ipynb was changed by another program. Taken in: 1 cell changed, 1 cell added.']);
    await document.save();
    expect(folder.read('a.ipynb')).toBe(text);
    setSource(document.ydoc, keys[0]!, 'ONE');
    expect(await saveCode(document)).toBe('saved');
    expect(folder.read('a.ipynb')).toBe(text.replace('"one"', '"ONE"'));
  });

  it('with other outputs and counts, which windows hear of and which are not trusted', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    const heard: string[] = [];
    document.on('outputs', (cell, changes) => heard.push(`${cell} ${changes.map(({ op }) => op)}`));
    expect(document.trusted).toBe(true);
    replaceFile(withCells(code(['one'], { outputs: [output('x\n')], execution_count: 7 }), markdown(['two']), code(['three'])));
    await document.checkDisk();
    expect(document.outputs(key)).toMatchObject([{ type: 'stream', text: 'x\n' }]);
    expect([document.executionCount(key), document.dirty, document.trusted]).toEqual([7, false, false]);
    expect(heard).toEqual([`${key} clear,append`]);
  });

  it('with cell ids from now on, or without them', async () => {
    const document = await folder.open(three);
    const ids = [code(['one'], { id: 'a' }), markdown(['two'], { id: 'b' }), code(['three'], { id: 'c' })];
    replaceFile(usual(notebook(ids, { nbformat_minor: 5 })));
    await document.checkDisk();
    insertCells(document.ydoc, 3, [{ key: 'new', id: null, type: 'code', source: 'four', metadata: {} }]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells.map(({ id }) => typeof id)).toEqual(['string', 'string', 'string', 'string']);
    expect(await findProblems(document.file, 5)).toEqual([]);
    replaceFile(usual(three));
    await document.checkDisk();
    setSource(document.ydoc, document.keys()[0]!, 'x');
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
  });

  it('takes in a mere touch, a copy with equal bytes, or another form of the same without a word', async () => {
    const document = await folder.open(three);
    const told = notices(document);
    let updates = 0;
    document.on('update', () => {
      updates += 1;
    });
    utimesSync(folder.path('a.ipynb'), new Date(), new Date());
    await document.checkDisk();
    replaceFile(usual(three));
    await document.checkDisk();
    replaceFile(JSON.stringify(three));
    await document.checkDisk();
    expect([told, updates, document.dirty]).toEqual([[], 0, false]);
    setSource(document.ydoc, document.keys()[0]!, 'ONE');
    await document.save();
    expect(folder.read('a.ipynb')).toBe(JSON.stringify(three).replace('"one"', '"ONE"'));
  });
});

describe('unsaved work and a change on disk', () => {
  it('in other cells merge, also when the file is only looked at by the save', async () => {
    const document = await folder.open(three);
    setSource(document.ydoc, document.keys()[0]!, 'one, mine');
    insertCells(document.ydoc, 3, [{ key: 'new', id: null, type: 'markdown', source: 'four', metadata: {} }]);
    replaceFile(withCells(code(['one']), markdown(['two, theirs']), code(['between']), code(['three'])));
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(['one, mine', 'two, theirs', 'between', 'three', 'four']);
    expect(document.dirty).toBe(false);
  });

  it('of which one deletes and the other moves', async () => {
    const document = await folder.open(three);
    moveCell(document.ydoc, document.keys()[2]!, 0);
    replaceFile(withCells(code(['one']), code(['three'])));
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(['three', 'one']);
  });

  it('in the same cell is a conflict that keeps both: a save writes the others and leaves the file’s version in the file', async () => {
    const document = await folder.open(three);
    const [first, second] = document.keys() as [string, string];
    setSource(document.ydoc, first, 'mine');
    setSource(document.ydoc, second, 'also mine');
    replaceFile(withCells(code(['theirs']), markdown(['two']), code(['three'])));
    expect(await saveCode(document)).toBe('conflict');
    expect(texts()).toEqual(['theirs', 'also mine', 'three']);
    expect(sources(document)).toEqual(['mine', 'also mine', 'three']);
    expect(document.dirty).toBe(true);
    expect(document.outside.conflicts()).toMatchObject([
      { key: first, kind: 'both', base: { source: 'one' }, theirs: { source: 'theirs' } },
    ]);
    const before = statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs;
    expect(await saveCode(document)).toBe('conflict');
    expect(statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs).toBe(before);
  });

  it.each([
    ['mine', ['mine', 'two', 'three']],
    ['theirs', ['theirs', 'two', 'three']],
    ['merged', ['mine and theirs', 'two', 'three']],
  ])('a conflict settled with %s is saved', async (choice, expected) => {
    const document = await inConflict();
    const [key] = document.keys() as [string];
    const before = document.cell(key)!;
    if (choice === 'theirs') setSource(document.ydoc, key, 'theirs');
    if (choice === 'merged') setSource(document.ydoc, key, 'mine and theirs');
    document.outside.settle(key, { before: choice === 'mine' ? null : before, copy: null });
    expect(document.outside.conflictCount).toBe(0);
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(expected);
    expect(document.dirty).toBe(false);
  });

  it('a choice that is undone opens the conflict again', async () => {
    const document = await inConflict();
    const [key] = document.keys() as [string];
    const before = document.cell(key)!;
    setSource(document.ydoc, key, 'theirs');
    document.outside.settle(key, { before, copy: null });
    setSource(document.ydoc, key, 'mine');
    expect(document.outside.conflictCount).toBe(1);
    expect(await saveCode(document)).toBe('conflict');
    expect(texts()[0]).toBe('theirs');
  });

  it('is no conflict any more when both say the same, or the file takes its change back', async () => {
    const document = await inConflict();
    setSource(document.ydoc, document.keys()[0]!, 'theirs');
    expect([document.outside.conflictCount, document.dirty]).toEqual([0, false]);
    const other = await inConflict();
    replaceFile(withCells(code(['mine']), markdown(['two']), code(['three'])));
    await other.checkDisk();
    expect([other.outside.conflictCount, other.dirty]).toEqual([0, false]);
  });

  it('that goes on in the file shows the newest version in the conflict', async () => {
    const document = await inConflict();
    replaceFile(withCells(code(['theirs, later']), markdown(['two']), code(['three'])));
    await document.checkDisk();
    expect(document.outside.conflicts()).toMatchObject([{ kind: 'both', theirs: { source: 'theirs, later' } }]);
    expect(await saveCode(document)).toBe('conflict');
    expect(texts()[0]).toBe('theirs, later');
  });

  it('is told once, however often it is saved', async () => {
    const document = await inConflict();
    const told = notices(document);
    const before = statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs;
    let states = 0;
    document.on('state', () => {
      states += 1;
    });
    const codes = [];
    for (let tick = 0; tick < 10; tick += 1) codes.push(await saveCode(document));
    expect([new Set(codes), told, document.outside.conflictCount]).toEqual([new Set(['conflict']), [], 1]);
    expect(statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs).toBe(before);
    expect(states).toBeLessThanOrEqual(10);
  });

  it('saved under another name has everything of this side, and the file everything of the other', async () => {
    const document = await inConflict();
    await document.saveAs(folder.path('b.ipynb'));
    expect([texts('a.ipynb')[0], texts('b.ipynb')[0]]).toEqual(['theirs', 'mine']);
    expect([document.outside.conflictCount, document.dirty]).toEqual([0, false]);
  });

  it('a cell edited here and deleted there stays, and one deleted here and edited there comes back: both are asked about', async () => {
    const document = await folder.open(three);
    const [first, , third] = document.keys() as [string, string, string];
    setSource(document.ydoc, first, 'mine');
    deleteCells(document.ydoc, [third]);
    replaceFile(withCells(markdown(['two']), code(['three, theirs'])));
    await document.checkDisk();
    expect(sources(document)).toEqual(['mine', 'two', 'three, theirs']);
    expect(document.outside.conflicts().map(({ key, kind }) => [key, kind])).toEqual([
      [first, 'deleted-there'],
      [third, 'deleted-here'],
    ]);
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(['mine', 'two', 'three, theirs']);
  });

  async function inConflict(): Promise<NotebookDocument> {
    const document = await folder.open(three);
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    replaceFile(withCells(code(['theirs']), markdown(['two']), code(['three'])));
    await document.checkDisk();
    expect(document.outside.conflictCount).toBe(1);
    return document;
  }
});

describe('taking back what came in', () => {
  it('restores text, order, cells and outputs, and the file’s version is written over only by a save', async () => {
    const document = await folder.open(
      notebook([code(['one'], { outputs: [output('old\n')], execution_count: 1 }), markdown(['two']), code(['three'])]),
    );
    const [first] = document.keys() as [string];
    const theirs = withCells(markdown(['two, theirs']), code(['one'], { outputs: [output('new\n')], execution_count: 2 }), code(['four']));
    replaceFile(theirs);
    await document.checkDisk();
    expect(document.outputs(first)).toMatchObject([{ text: 'new\n' }]);
    expect(document.outside.undo()).toBe(true);
    expect(sources(document)).toEqual(['one', 'two', 'three']);
    expect(document.outputs(first)).toMatchObject([{ text: 'old\n' }]);
    expect([document.executionCount(first), document.dirty, document.outside.undo()]).toEqual([1, true, false]);
    expect(folder.read('a.ipynb')).toBe(theirs);
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(['one', 'two', 'three']);
  });

  it('goes back version by version, and no further than a few', async () => {
    const document = await folder.open(three);
    const [first] = document.keys() as [string];
    for (const round of [1, 2, 3, 4, 5]) {
      replaceFile(withCells(code([round % 2 ? 'odd' : 'even'], { outputs: [output(`${round}\n`)] }), markdown(['two']), code(['three'])));
      await document.checkDisk();
    }
    const seen = [];
    while (document.outside.undo()) seen.push([document.cell(first)!.source, document.outputs(first)[0]]);
    expect(seen).toMatchObject([
      ['even', { text: '4\n' }],
      ['odd', { text: '3\n' }],
      ['even', { text: '2\n' }],
    ]);
  });

  it('of outputs alone brings the earlier ones back', async () => {
    const document = await folder.open(three);
    const [first] = document.keys() as [string];
    for (const text of ['1\n', '2\n']) {
      replaceFile(withCells(code(['one'], { outputs: [output(text)] }), markdown(['two']), code(['three'])));
      await document.checkDisk();
    }
    const seen = [];
    while (document.outside.undo()) seen.push(document.outputs(first).map((one) => (one.type === 'stream' ? one.text : one)));
    expect(seen).toEqual([['1\n'], []]);
  });

  it('keeps what was typed since', async () => {
    const document = await folder.open(three);
    const [, second, third] = document.keys() as [string, string, string];
    replaceFile(withCells(code(['one']), markdown(['two, theirs']), code(['three'])));
    await document.checkDisk();
    setSource(document.ydoc, third, 'typed');
    document.outside.undo();
    expect([document.cell(second)!.source, document.cell(third)!.source]).toEqual(['two', 'typed']);
  });
});

describe('outputs on both sides', () => {
  it('of a run here that is newer than the file stay, and are unsaved', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    replaceFile(withCells(code(['one'], { outputs: [output('theirs\n')] }), markdown(['two']), code(['three'])));
    utimesSync(folder.path('a.ipynb'), new Date(2020, 1), new Date(2020, 1));
    document.beginRun(key, 'one');
    document.applyOutputs(key, [stream('mine\n')]);
    await document.checkDisk();
    expect(document.outputs(key)).toMatchObject([{ text: 'mine\n' }]);
    expect([document.dirty, document.outside.conflictCount]).toEqual([true, 0]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells[0]!.outputs).toEqual([output('mine\n')]);
  });

  it('of a file that is newer than the run here are taken', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    document.beginRun(key, 'one');
    document.applyOutputs(key, [stream('mine\n')]);
    document.endRun(key);
    replaceFile(withCells(code(['one'], { outputs: [output('theirs\n')] }), markdown(['two']), code(['three'])));
    const later = new Date(Date.now() + 5_000);
    utimesSync(folder.path('a.ipynb'), later, later);
    await document.checkDisk();
    expect(document.outputs(key)).toMatchObject([{ text: 'theirs\n' }]);
    expect(document.dirty).toBe(false);
  });

  it('of a cell that runs stay, whatever the file has: the run goes on into them', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    document.beginRun(key, 'one');
    document.applyOutputs(key, [stream('mine')]);
    replaceFile(
      withCells(
        code(['one'], { outputs: [{ ...output('x'), output_type: 'display_data', data: {} }] }),
        markdown(['two']),
        code(['three']),
      ),
    );
    const later = new Date(Date.now() + 5_000);
    utimesSync(folder.path('a.ipynb'), later, later);
    await document.checkDisk();
    document.applyOutputs(key, [{ op: 'text', index: 0, at: 4, remove: 0, insert: ' goes on' }]);
    document.endRun(key);
    expect(document.outputs(key)).toMatchObject([{ text: 'mine goes on' }]);
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json().cells[0]!.outputs).toEqual([output('mine goes on')]);
  });

  it('that came from the file, or are back, are told of: what the run before still sends is not for them', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    const resets: [string, string][] = [];
    document.on('reset', (cell, how) => resets.push([cell, how]));
    document.beginRun(key, 'one');
    document.applyOutputs(key, [stream('mine')]);
    document.endRun(key);
    replaceFile(withCells(code(['one'], { outputs: [output('theirs')] }), markdown(['two']), code(['three'])));
    const later = new Date(Date.now() + 5_000);
    utimesSync(folder.path('a.ipynb'), later, later);
    await document.checkDisk();
    expect(resets).toEqual([[key, 'restored']]);
    document.outside.undo();
    expect(resets).toEqual([
      [key, 'restored'],
      [key, 'restored'],
    ]);
    expect(document.outputs(key)).toMatchObject([{ text: 'mine' }]);
  });

  it('that were saved here stay trusted when another program writes the file with the same ones', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    document.beginRun(key, 'one');
    document.applyOutputs(key, [stream('mine\n')]);
    await document.save();
    replaceFile(JSON.stringify(JSON.parse(folder.read('a.ipynb').replace('"two"', '"zwei"'))));
    await document.checkDisk();
    expect(document.cell(document.keys()[1]!)!.source).toBe('zwei');
    expect([document.trusted, document.dirty]).toEqual([true, false]);
  });
});
