/** What is no part of the shared model comes through a crash as well: conflicts, what a file has lost, and line ends that an agent gave. */
import { afterEach, describe, expect, it } from 'vitest';
import { applyToDocument, documentView } from '../../../../main/documents/document-edits.ts';
import { type EditRequest, planEdit } from '../../../../main/documents/edits.ts';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { code, markdown, notebook, saveCode, temporaryFolder, usual } from '../temporary-folder.ts';
import { copied, crash, endSessions, journaled, nextStart, session, sources, type as typeIn } from './profile.ts';

const folder = temporaryFolder();
afterEach(endSessions);
const profile = (): string => folder.path('profile');
const three = (): string => usual(notebook([code(['a = 1']), markdown(['# Title']), code(['b = 2'])]));

async function opened(content = three()): Promise<{ document: NotebookDocument }> {
  const path = folder.write('a.ipynb', content);
  return { document: await session(profile()).store.open(path) };
}

describe('a cell that waits for a choice', () => {
  const conflicting = async () => {
    const session = await opened();
    const { document } = session;
    typeIn(document, 0, 'a = "mine"');
    folder.write('a.ipynb', three().replace('a = 1', 'a = \\"theirs\\"'));
    await document.checkDisk();
    expect(document.outside.conflictCount).toBe(1);
    return session;
  };

  it('waits again after a crash, and the file’s version stays in the file until then', async () => {
    await conflicting();
    await journaled(profile(), 'a = "theirs"');
    crash(profile());
    const again = (await nextStart(profile())).recovered[0]!.document;
    expect(again.outside.conflicts()).toMatchObject([
      { key: again.keys()[0], kind: 'both', base: { source: 'a = 1' }, theirs: { source: 'a = "theirs"' } },
    ]);
    expect(sources(again)[0]).toBe('a = "mine"');
    expect(await saveCode(again)).toBe('conflict');
    expect(folder.json().cells[0]!.source).toEqual(['a = "theirs"']);
    again.outside.settle(again.keys()[0]!, { before: null, copy: null });
    expect(await saveCode(again)).toBe('saved');
    expect(folder.json().cells[0]!.source).toEqual(['a = "mine"']);
  });

  it('also after a save that left it out, and not any more once it was chosen', async () => {
    const { document } = await conflicting();
    typeIn(document, 2, 'b = 3');
    expect(await saveCode(document)).toBe('conflict');
    typeIn(document, 2, 'b = 4');
    await journaled(profile(), 'b = 4');
    crash(profile());
    const second = (await nextStart(profile())).recovered[0]!.document;
    expect([second.outside.conflictCount, sources(second)]).toEqual([1, ['a = "mine"', '# Title', 'b = 4']]);
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([['a = "theirs"'], ['# Title'], ['b = 3']]);
    second.outside.settle(second.keys()[0]!, { before: null, copy: null });
    typeIn(second, 2, 'b = 5');
    await journaled(profile(), 'b = 5');
    crash(profile());
    const third = (await nextStart(profile())).recovered[0]!.document;
    expect([third.outside.conflictCount, await saveCode(third)]).toEqual([0, 'saved']);
    expect(folder.json().cells.map((cell) => cell.source)).toEqual([['a = "mine"'], ['# Title'], ['b = 5']]);
  });
});

it('what a file has lost, and nobody has decided about yet, survives a crash', async () => {
  const image = { 'plot.png': { 'image/png': 'iVBORw0K' } };
  const output = { name: 'stdout', output_type: 'stream', text: ['1\n'] };
  const full = notebook([
    markdown(['![](attachment:plot.png)'], { attachments: image, metadata: { tags: ['x'] } }),
    code(['1'], { outputs: [output], execution_count: 3 }),
  ]);
  const { document } = await opened(usual(full));
  document.outside.canAsk = () => true;
  folder.write('a.ipynb', usual(notebook([markdown(['![](attachment:plot.png)']), code(['1'])])));
  await document.checkDisk();
  expect(document.outside.kept).toMatchObject({ outputs: 1, settings: 1, attachments: 1 });
  await journaled(profile(), 'iVBORw0K');
  await copied(profile());
  crash(profile());
  const again = (await nextStart(profile())).recovered[0]!.document;
  expect(again.dirty).toBe(true);
  await again.save();
  expect(folder.json()).toEqual(full);
});

describe('line ends that the notebook tool gave', () => {
  const crlf = (): string => usual(notebook([code(['a\r\n', 'b']), code(['x\n', 'y'])]));
  const edit = (document: NotebookDocument, request: EditRequest): void => {
    applyToDocument(document, planEdit(documentView(document), request).edit, 'agent');
  };
  const savedSources = async (): Promise<string[]> => {
    const again = (await nextStart(profile())).recovered[0]!.document;
    await again.save();
    return folder.json().cells.map((cell) => [cell.source].flat().join(''));
  };

  it('survive a crash, also where they are all that changed', async () => {
    const { document } = await opened(crlf());
    edit(document, { action: 'edit', cell_index: 0, content: 'a\nb' });
    edit(document, { action: 'edit', cell_index: 1, content: 'x\r\ny\r\nz' });
    edit(document, { action: 'insert', cell_index: 2, content: 'n\r\nm\n' });
    expect(document.dirty).toBe(true);
    await journaled(profile(), 'm\n');
    crash(profile());
    expect(await savedSources()).toEqual(['a\nb', 'x\r\ny\r\nz', 'n\r\nm\n']);
  });

  it('come with an edit after others were written to the journal', async () => {
    const { document } = await opened(crlf());
    typeIn(document, 1, 'x\ny!');
    await journaled(profile(), 'x\ny!');
    edit(document, { action: 'edit', cell_index: 1, content: 'x\r\ny!' });
    await journaled(profile(), 'x\r\ny!');
    crash(profile());
    expect(await savedSources()).toEqual(['a\r\nb', 'x\r\ny!']);
  });

  it('are given up with the text they belong to', async () => {
    const { document } = await opened(crlf());
    edit(document, { action: 'edit', cell_index: 1, content: 'x\r\nz' });
    await journaled(profile(), 'x\r\nz');
    typeIn(document, 1, 'x\nz typed on');
    await journaled(profile(), 'typed on');
    crash(profile());
    expect(await savedSources()).toEqual(['a\r\nb', 'x\nz typed on']);
  });
});
