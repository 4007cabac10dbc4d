/** Documents in use: several windows, edits of the tool, trouble with the file, one document per file. */
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { applyToDocument, documentView } from '../../../main/documents/document-edits.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { planEdit } from '../../../main/documents/edits.ts';
import { findProblems } from '../../../main/documents/validate.ts';
import { cellMap, insertCells, moveCell, orderedKeys, setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, notebook, saveCode, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

describe('windows', () => {
  it('converge with main, and each hears of the changes of the others', async () => {
    const document = await folder.open(notebook([code(['a'])]));
    const windows = [new Y.Doc(), new Y.Doc()];
    for (const window of windows) {
      Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc), 'main');
      window.on('update', (update: Uint8Array, origin: unknown) => {
        if (origin !== 'main') document.applyUpdate(update, window);
      });
    }
    document.on('update', (update, origin) => {
      for (const window of windows) if (window !== origin) Y.applyUpdate(window, update, 'main');
    });
    const [key] = document.keys() as [string];
    const [left, right] = windows as [Y.Doc, Y.Doc];
    setSource(left, key, 'ab');
    setSource(right, key, 'abc');
    moveCell(left, key, 0);
    insertCells(right, 1, [{ key: 'n', id: null, type: 'markdown', source: 'm', metadata: {} }]);
    for (const window of windows) expect(orderedKeys(window)).toEqual(document.keys());
    expect(document.cell(key)!.source).toBe('abc');
  });

  it('that send a malformed cell do not stop the document from saving', async () => {
    const document = await folder.open(notebook([code(['a'])]));
    const window = new Y.Doc();
    Y.applyUpdate(window, Y.encodeStateAsUpdate(document.ydoc));
    cellMap(window).set('bad', new Y.Map());
    document.applyUpdate(Y.encodeStateAsUpdate(window), window);
    setSource(document.ydoc, document.keys()[0]!, 'b');
    await document.save();
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([['b']]);
  });
});

describe('edits of the tool', () => {
  it('go into the live document, keep unsaved work and are saved with it', async () => {
    const document = await folder.open(notebook([code(['one']), code(['two'])]));
    setSource(document.ydoc, document.keys()[1]!, 'typed');
    const plan = planEdit(documentView(document), { action: 'edit', cell_index: 0, content: 'agent', expected_source: 'one' });
    applyToDocument(document, plan.edit, 'agent');
    await document.save();
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([['agent'], ['typed']]);
  });

  it('give the same as on the file, action by action', async () => {
    const document = await folder.open(
      notebook([
        code(['one'], { outputs: [{ name: 'stdout', output_type: 'stream', text: ['x'] }], execution_count: 1 }),
        markdown(['two']),
      ]),
    );
    const step = (request: Parameters<typeof planEdit>[1]): void =>
      applyToDocument(document, planEdit(documentView(document), request).edit, 'agent');
    step({ action: 'move', cell_index: 1, to_index: 0 });
    step({ action: 'set_type', cell_index: 0, cell_type: 'raw' });
    step({ action: 'clear_outputs', cell_index: 1 });
    step({ action: 'insert', cell_index: 2, content: 'three\n' });
    step({ action: 'delete', cell_index: 1 });
    await document.save();
    expect(folder.read('a.ipynb')).toBe(usual(notebook([{ ...markdown(['two']), cell_type: 'raw' }, code(['three\n'])])));
  });
});

describe('trouble with the file', () => {
  it('changed outside: the save is refused, unsaved work stays, overwriting is possible', async () => {
    const document = await folder.open(notebook([code(['a'])]));
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    folder.write('a.ipynb', usual(notebook([code(['theirs'])])));
    expect(await saveCode(document)).toBe('conflict');
    expect(document.dirty).toBe(true);
    expect(folder.json().cells[0]!.source).toEqual(['theirs']);
    expect(await saveCode(document, { overwrite: true })).toBe('saved');
    expect(folder.json().cells[0]!.source).toEqual(['mine']);
  });

  it('write-protected: stays unsaved and can be saved under another name', async () => {
    folder.write('a.ipynb', usual(notebook([code(['a'])])));
    chmodSync(folder.path('a.ipynb'), 0o444);
    const document = await new DocumentStore().open(folder.path('a.ipynb'));
    expect(document.readOnly).toBe(true);
    setSource(document.ydoc, document.keys()[0]!, 'b');
    expect(await saveCode(document)).toBe('read-only');
    expect(document.dirty).toBe(true);
    await document.saveAs(folder.path('b.ipynb'));
    expect([document.readOnly, document.dirty, document.title, document.notices]).toEqual([false, false, 'b.ipynb', []]);
    expect(folder.json('a.ipynb').cells[0]!.source).toEqual(['a']);
    expect(folder.json('b.ipynb').cells[0]!.source).toEqual(['b']);
  });

  it('write-protected while it is open, or no longer: it says so from the next look on, and a save works again', async () => {
    const path = folder.write('a.ipynb', usual(notebook([code(['a'])])));
    const document = await new DocumentStore().open(path);
    const states: [boolean, readonly string[]][] = [];
    document.on('state', () => states.push([document.readOnly, [...document.notices]]));
    chmodSync(path, 0o444);
    await document.checkDisk();
    chmodSync(path, 0o644);
    await document.checkDisk();
    const notice = 'a.ipynb is write-protected: changes can only be saved under another name.';
    expect(states).toEqual([
      [true, [notice]],
      [false, []],
    ]);
    setSource(document.ydoc, document.keys()[0]!, 'b');
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json('a.ipynb').cells[0]!.source).toEqual(['b']);
  });

  it('in UTF-16 or with bad bytes: never written over, converted by saving under another name', async () => {
    const bytes = Buffer.from(`\ufeff${usual(notebook([code(['é'])]))}`, 'utf16le');
    const document = await folder.open(bytes);
    setSource(document.ydoc, document.keys()[0]!, 'è');
    await expect(document.save()).rejects.toMatchObject({ code: 'read-only', message: 'a.ipynb is not UTF-8 text, so nothing was saved.' });
    expect(document.notices).toHaveLength(1);
    await document.saveAs(folder.path('b.ipynb'));
    expect(folder.read('b.ipynb')).toBe(usual(notebook([code(['è'])])));
    expect(document.notices).toEqual([]);
    setSource(document.ydoc, document.keys()[0]!, 'ê');
    expect(await saveCode(document)).toBe('saved');
  });

  it('of an old format: the converted notebook has no file, and never takes the old one', async () => {
    const old = JSON.stringify({
      metadata: { name: '' },
      nbformat: 3,
      nbformat_minor: 0,
      worksheets: [{ cells: [{ cell_type: 'code', input: 'x', outputs: [] }] }],
    });
    const document = await folder.open(old, 'old.ipynb');
    expect([document.path, document.title, document.folder, document.dirty]).toEqual([
      null,
      'old (converted).ipynb',
      folder.path().replace(/\/$/, ''),
      false,
    ]);
    expect(await saveCode(document)).toBe('untitled');
    await expect(document.saveAs(folder.path('old.ipynb'))).rejects.toMatchObject({ code: 'read-only' });
    expect(folder.read('old.ipynb')).toBe(old);
    expect(document.notices).toHaveLength(1);
    await document.saveAs(folder.path('new.ipynb'));
    expect(document.notices).toEqual([]);
    expect(folder.json('new.ipynb')).toMatchObject({ nbformat: 4, nbformat_minor: 5 });
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('gone: a save makes it again; with its folder gone it says so and works when it is back', async () => {
    mkdirSync(folder.path('sub'));
    const document = await folder.open(notebook([code(['a'])]), 'sub/a.ipynb');
    rmSync(folder.path('sub/a.ipynb'));
    expect(await saveCode(document)).toBe('saved');
    setSource(document.ydoc, document.keys()[0]!, 'b');
    renameSync(folder.path('sub'), folder.path('moved'));
    expect(await saveCode(document)).toBe('folder-gone');
    renameSync(folder.path('moved'), folder.path('sub'));
    expect(await saveCode(document)).toBe('saved');
    expect(folder.json('sub/a.ipynb').cells[0]!.source).toEqual(['b']);
  });
});

describe('the store', () => {
  const text = usual(notebook([code(['a'])]));

  it('makes one document per file: links, folders that are links, hard links, two opens at once', async () => {
    mkdirSync(folder.path('real'));
    writeFileSync(folder.path('real/a.ipynb'), text);
    symlinkSync('real', folder.path('alias'));
    symlinkSync('real/a.ipynb', folder.path('link.ipynb'));
    linkSync(folder.path('real/a.ipynb'), folder.path('hard.ipynb'));
    const store = new DocumentStore();
    const paths = ['alias/a.ipynb', 'real/a.ipynb', 'real/../real/a.ipynb', 'link.ipynb', 'hard.ipynb'];
    const documents = await Promise.all(paths.map((path) => store.open(folder.path(path))));
    expect(new Set(documents).size).toBe(1);
    // All at once, any of them may be the first to be found.
    expect(paths.map((path) => folder.path(path))).toContain(documents[0]!.path);
    expect(store.all()).toHaveLength(1);
    expect(await store.open(folder.path('hard.ipynb'))).toBe(documents[0]);
  });

  it('names a document as it was opened first, whatever other names the file has', async () => {
    mkdirSync(folder.path('real'));
    writeFileSync(folder.path('real/a.ipynb'), text);
    symlinkSync('real', folder.path('alias'));
    const store = new DocumentStore();
    const document = await store.open(folder.path('alias/a.ipynb'));
    expect(await store.open(folder.path('real/a.ipynb'))).toBe(document);
    expect(document.path).toBe(folder.path('alias/a.ipynb'));
  });

  it('still knows the file after a save has replaced it', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    const document = await store.open(folder.path('a.ipynb'));
    setSource(document.ydoc, document.keys()[0]!, 'b');
    await document.save();
    renameSync(folder.path('a.ipynb'), folder.path('b.ipynb'));
    expect(await store.open(folder.path('b.ipynb'))).toBe(document);
  });

  it('gives a document back under its id until it is closed, and reads the file anew after that', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    const document = await store.open(folder.path('a.ipynb'));
    expect(store.get(document.id)).toBe(document);
    store.close(document.id);
    expect(store.get(document.id)).toBeUndefined();
    expect(await store.open(folder.path('a.ipynb'))).not.toBe(document);
  });

  it('forgets a failed open, so that the next one tries again', async () => {
    const store = new DocumentStore();
    await expect(store.open(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'not-found' });
    folder.write('a.ipynb', '{');
    await expect(store.open(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'bad-json' });
    folder.write('a.ipynb', text);
    expect((await store.open(folder.path('a.ipynb'))).keys()).toHaveLength(1);
  });

  it('makes new notebooks, which keep their identity when they get a file', async () => {
    const store = new DocumentStore();
    const document = store.create({ folder: folder.path(), kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } });
    const other = store.create({ folder: null });
    expect([document.title, other.title, document.dirty, document.trusted]).toEqual(['Untitled.ipynb', 'Untitled 2.ipynb', false, true]);
    expect(await saveCode(document)).toBe('untitled');
    setSource(document.ydoc, document.keys()[0]!, 'x');
    await document.saveAs(folder.path('a.ipynb'));
    expect(store.get(document.id)).toBe(document);
    expect(await store.open(folder.path('a.ipynb'))).toBe(document);
    expect(folder.read('a.ipynb')).toBe(
      usual({
        ...folder.json(),
        cells: [{ cell_type: 'code', execution_count: null, id: folder.json().cells[0]!.id, metadata: {}, outputs: [], source: ['x'] }],
      }),
    );
    expect(await findProblems(document.file, 5)).toEqual([]);
  });

  it('refuses to save one document over the file of another', async () => {
    folder.write('a.ipynb', text);
    const store = new DocumentStore();
    await store.open(folder.path('a.ipynb'));
    const fresh = store.create({ folder: null });
    await expect(fresh.saveAs(folder.path('a.ipynb'))).rejects.toMatchObject({ code: 'already-open' });
    expect(folder.read('a.ipynb')).toBe(text);
  });
});
