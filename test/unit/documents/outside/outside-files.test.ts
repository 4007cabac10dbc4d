/** A live document whose file other programs move, delete or break, and how changes are told from our own saves. Real files. */
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FileWatch } from '../../../../main/documents/outside/file-watch.ts';
import { setSource } from '../../../../preload/notebook-model.ts';
import { code, markdown, saveCode, usual } from '../temporary-folder.ts';
import { notices, outsideFolder, sources, three, withCells } from './outside-folder.ts';

const { folder, replaceFile, texts } = outsideFolder();

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
