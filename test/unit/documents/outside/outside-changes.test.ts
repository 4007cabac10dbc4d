/** A live document whose file other programs change: what is taken in, what stays, what is asked. Real files, real Yjs. */
import { linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { FileWatch } from '../../../../main/documents/outside/file-watch.ts';
import { findProblems } from '../../../../main/documents/validate.ts';
import { deleteCells, insertCells, moveCell, setSource } from '../../../../preload/notebook-model.ts';
import { type CellJson, code, markdown, notebook, saveCode, stream, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();

const three = notebook([code(['one']), markdown(['two']), code(['three'])]);

function withCells(...cells: CellJson[]): string {
  return usual(notebook(cells));
}

/** As most programs save: another file takes the place. */
function replaceFile(content: string, name = 'a.ipynb'): void {
  folder.write(`${name}.new`, content);
  renameSync(folder.path(`${name}.new`), folder.path(name));
}

function sources(document: NotebookDocument): string[] {
  return document.keys().map((key) => document.cell(key)!.source);
}

function texts(name = 'a.ipynb'): string[] {
  return folder.json(name).cells.map(({ source }) => [source].flat().join(''));
}

function notices(document: NotebookDocument): string[] {
  const told: string[] = [];
  document.on('outside', ({ message }) => told.push(message));
  return told;
}

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

describe('a file that is not where it was', () => {
  it('deleted: the notebook stays, is unsaved and says so; a save makes the file again', async () => {
    const document = await folder.open(three);
    unlinkSync(folder.path('a.ipynb'));
    await document.checkDisk();
    expect([document.dirty, document.outside.trouble?.kind, sources(document)]).toEqual([true, 'gone', ['one', 'two', 'three']]);
    expect(document.outside.trouble?.message).toBe('a.ipynb was deleted or moved on the disk. It is kept here, unsaved.');
    expect(await saveCode(document)).toBe('saved');
    expect([document.dirty, document.outside.trouble]).toEqual([false, null]);
    expect(texts()).toEqual(['one', 'two', 'three']);
  });

  it('deleted and made again: merged with what it was before', async () => {
    const document = await folder.open(three);
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    unlinkSync(folder.path('a.ipynb'));
    await document.checkDisk();
    folder.write('a.ipynb', withCells(code(['one']), markdown(['zwei']), code(['three'])));
    await document.checkDisk();
    expect([document.outside.trouble, sources(document)]).toEqual([null, ['mine', 'zwei', 'three']]);
  });

  it('renamed: the document goes with it, also when another file takes the old name at once', async () => {
    const document = await folder.open(three, 'draft.ipynb');
    const told = notices(document);
    renameSync(folder.path('draft.ipynb'), folder.path('final.ipynb'));
    folder.write('draft.ipynb', withCells(code(['another notebook'])));
    await document.checkDisk();
    expect([document.title, document.path, document.dirty, document.outside.trouble, told]).toEqual([
      'final.ipynb',
      folder.path('final.ipynb'),
      false,
      null,
      [],
    ]);
    setSource(document.ydoc, document.keys()[0]!, 'x');
    await document.save();
    expect([texts('final.ipynb')[0], texts('draft.ipynb')[0]]).toEqual(['x', 'another notebook']);
  });

  it('replaced, with the old one kept as a backup: the name stays', async () => {
    const document = await folder.open(three);
    for (const backup of ['a.ipynb~', '.a.ipynb']) {
      renameSync(folder.path('a.ipynb'), folder.path(backup));
      folder.write('a.ipynb', withCells(code([backup]), markdown(['two']), code(['three'])));
      await document.checkDisk();
      expect([document.title, document.cell(document.keys()[0]!)!.source]).toEqual(['a.ipynb', backup]);
    }
  });

  it('reached through a link that leads elsewhere now: the new target is taken in and written', async () => {
    for (const [name, text] of [
      ['one', 'x'],
      ['two', 'y'],
    ] as const) {
      mkdirSync(folder.path(name));
      folder.write(`${name}/real.ipynb`, withCells(code([text])));
    }
    symlinkSync('one', folder.path('current'));
    const { DocumentStore } = await import('../../../../main/documents/document-store.ts');
    const document = await new DocumentStore().open(folder.path('current/real.ipynb'));
    unlinkSync(folder.path('current'));
    symlinkSync('two', folder.path('current'));
    await document.checkDisk();
    expect(sources(document)).toEqual(['y']);
    setSource(document.ydoc, document.keys()[0]!, 'z');
    await document.save();
    expect([texts('one/real.ipynb'), texts('two/real.ipynb')]).toEqual([['x'], ['z']]);
  });

  it('known by another name too (hard link) is not taken for renamed', async () => {
    const document = await folder.open(three);
    linkSync(folder.path('a.ipynb'), folder.path('b.ipynb'));
    await document.checkDisk();
    replaceFile(withCells(code(['new']), markdown(['two']), code(['three'])));
    await document.checkDisk();
    expect([document.title, sources(document)[0]]).toEqual(['a.ipynb', 'new']);
  });
});

describe('a file that can’t be read as a notebook now', () => {
  it.each([
    ['git conflict markers', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', 'conflict markers, the first in line 1'],
    ['cut off', '{"cells": [', 'It looks cut off'],
    ['another encoding', Buffer.from(`\ufeff${usual(three)}`, 'utf16le'), 'UTF-16'],
    ['an old format', '{"nbformat": 3, "worksheets": []}', 'nbformat 3'],
  ])('%s: a save never replaces it, and what was typed stays; once it is whole it is taken in', async (_name, content, words) => {
    const document = await folder.open(three);
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    folder.write('a.ipynb', content);
    expect(await saveCode(document)).toBe('conflict');
    expect(document.outside.trouble).toMatchObject({ kind: 'unreadable', message: expect.stringContaining(words) });
    expect(Buffer.from(content as string).equals(Buffer.from(folder.read('a.ipynb'))) || Buffer.isBuffer(content)).toBe(true);
    expect([document.dirty, sources(document)[0]]).toEqual([true, 'mine']);
    await document.saveAs(folder.path('b.ipynb'));
    expect(texts('b.ipynb')[0]).toBe('mine');
  });

  it('and is whole again: taken in', async () => {
    const document = await folder.open(three);
    writeFileSync(folder.path('a.ipynb'), usual(three).slice(0, 50));
    await document.checkDisk();
    expect(document.outside.trouble?.kind).toBe('unreadable');
    writeFileSync(folder.path('a.ipynb'), withCells(code(['one']), markdown(['zwei']), code(['three'])));
    await document.checkDisk();
    expect([document.outside.trouble, sources(document)[1], document.dirty]).toEqual([null, 'zwei', false]);
  });
});

describe('our own saves', () => {
  it('are not taken for changes from outside, however many and however quick', async () => {
    const document = await folder.open(three);
    const told = notices(document);
    const [key] = document.keys() as [string];
    for (let round = 0; round < 5; round += 1) {
      setSource(document.ydoc, key, `round ${round}`);
      await document.save();
      await document.checkDisk();
    }
    expect([told, document.dirty, document.outside.trouble]).toEqual([[], false, null]);
  });

  it('wait for a look and the other way round', async () => {
    const document = await folder.open(three);
    const [key] = document.keys() as [string];
    replaceFile(withCells(code(['one']), markdown(['zwei']), code(['three'])));
    setSource(document.ydoc, key, 'mine');
    await Promise.all([document.checkDisk(), document.save(), document.checkDisk(), document.save()]);
    expect(texts()).toEqual(['mine', 'zwei', 'three']);
  });
});

describe('watching', () => {
  it.each([
    ['replaced', () => replaceFile('x')],
    ['written in place', () => void folder.write('a.ipynb', 'x')],
    ['deleted', () => rmSync(folder.path('a.ipynb'))],
    ['renamed', () => renameSync(folder.path('a.ipynb'), folder.path('b.ipynb'))],
  ])('says that a file was %s', async (_how, change) => {
    folder.write('a.ipynb', 'a');
    const looked = new Promise<void>((resolve) => {
      const watch = new FileWatch(() => {
        watch.end();
        resolve();
      });
      watch.follow([folder.path('a.ipynb')]);
    });
    change();
    await looked;
  });

  it('follows links to the folder where the file really lies, and new names', async () => {
    mkdirSync(folder.path('real'));
    folder.write('real/a.ipynb', 'a');
    folder.write('b.ipynb', 'b');
    symlinkSync('real/a.ipynb', folder.path('a.ipynb'));
    let looks = 0;
    let heard = (): void => undefined;
    const watch = new FileWatch(() => {
      looks += 1;
      heard();
    });
    const look = (): Promise<void> => new Promise((resolve) => (heard = resolve));
    watch.follow([folder.path('a.ipynb'), folder.path('real/a.ipynb')]);
    let next = look();
    folder.write('real/a.ipynb', 'aa');
    await next;
    watch.follow([folder.path('b.ipynb')]);
    next = look();
    folder.write('b.ipynb', 'bb');
    await next;
    watch.end();
    expect(looks).toBeGreaterThanOrEqual(2);
  });

  it('goes on after a thousand saves by rename, and in a folder that took the place of the old one', async () => {
    mkdirSync(folder.path('work'));
    folder.write('work/a.ipynb', 'a');
    let heard = (): void => undefined;
    const watch = new FileWatch(() => heard());
    watch.follow([folder.path('work/a.ipynb')]);
    const look = (): Promise<void> => new Promise((resolve) => (heard = resolve));
    const replace = (text: string): void => {
      folder.write('work/new', text);
      renameSync(folder.path('work/new'), folder.path('work/a.ipynb'));
    };
    for (let round = 0; round < 1_000; round += 1) replace(`${round}`);
    await look();
    const folderGone = look();
    renameSync(folder.path('work'), folder.path('old'));
    await folderGone;
    const folderBack = look();
    mkdirSync(folder.path('work'));
    folder.write('work/a.ipynb', 'again');
    await folderBack;
    const changed = look();
    replace('and changed');
    await changed;
    watch.end();
  });
});
