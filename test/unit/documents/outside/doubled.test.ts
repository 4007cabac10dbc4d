/** A notebook whose file another program wrote with every cell twice: nothing is taken in, and nothing is saved over it, until somebody chooses. */
import { describe, expect, it } from 'vitest';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { setSource } from '../../../../preload/notebook-model.ts';
import { code, markdown, saveCode } from '../temporary-folder.ts';
import { notices, outsideFolder, sources, three, withCells } from './outside-folder.ts';

const { folder, replaceFile, texts } = outsideFolder();

const one = () => code(['one']);
const two = () => markdown(['two']);
const third = () => code(['three']);
const appended = withCells(one(), two(), third(), one(), two(), third());
const inPairs = withCells(one(), one(), two(), two(), third(), third());

/** A notebook that a window shows, whose file is this now. */
async function shown(content: string): Promise<NotebookDocument> {
  const document = await folder.open(three);
  document.outside.canAsk = () => true;
  replaceFile(content);
  await document.checkDisk();
  return document;
}

describe.each([
  ['after the others', appended],
  ['beside the first', inPairs],
])('every cell once more, %s', (_how, content) => {
  it('is not taken in, and a save does not write over it', async () => {
    const document = await shown(content);
    expect(sources(document)).toEqual(['one', 'two', 'three']);
    expect(document.outside.trouble).toEqual({
      kind: 'doubled',
      message: 'Another program wrote every cell of a.ipynb twice. That was not taken in; your version is kept here.',
    });
    setSource(document.ydoc, document.keys()[0]!, 'mine');
    await expect(document.save()).rejects.toMatchObject({
      code: 'conflict',
      hint: 'Save under another name, or choose which version is right first.',
    });
    expect(folder.read('a.ipynb')).toBe(content);
    expect([sources(document)[0], document.dirty]).toEqual(['mine', true]);
  });

  it('comes in when it is right', async () => {
    const document = await shown(content);
    const told = notices(document);
    await document.settleDoubled('file');
    expect(sources(document)).toHaveLength(6);
    expect([document.outside.trouble, document.dirty]).toEqual([null, false]);
    expect(told).toEqual(['a.ipynb was changed by another program. Taken in: 3 cells added.']);
    await document.checkDisk();
    expect(document.outside.trouble).toBeNull();
  });

  it('goes with the next save when it is wrong, and what was typed meanwhile is saved', async () => {
    const document = await shown(content);
    const told = notices(document);
    setSource(document.ydoc, document.keys()[2]!, 'three, mine');
    await document.settleDoubled('mine');
    expect(sources(document)).toEqual(['one', 'two', 'three, mine']);
    expect([document.outside.trouble, document.dirty, document.outside.conflictCount]).toEqual([null, true, 0]);
    expect(told).toEqual([]);
    expect(await saveCode(document)).toBe('saved');
    expect(texts()).toEqual(['one', 'two', 'three, mine']);
  });
});

it('the question goes when the file is as it was, and an answer that comes then changes nothing', async () => {
  const document = await shown(withCells(code(['first']), two(), third()));
  replaceFile(withCells(code(['first']), two(), third(), code(['first']), two(), third()));
  await document.checkDisk();
  expect(document.outside.trouble?.kind).toBe('doubled');
  replaceFile(withCells(code(['first']), two(), third()));
  await document.settleDoubled('mine');
  expect(document.outside.trouble).toBeNull();
  expect(sources(document)).toEqual(['first', 'two', 'three']);
});

it.each([
  ['more than twice', withCells(one(), two(), third(), one(), two(), third(), one(), two(), third())],
  ['twice with a change', withCells(one(), two(), third(), one(), two(), code(['three!']))],
  ['twice as another type', withCells(one(), two(), third(), one(), code(['two']), third())],
  ['one of them twice', withCells(one(), one(), two(), third())],
])('cells that are there %s are taken in as usual', async (_what, content) => {
  const document = await shown(content);
  expect(document.outside.trouble).toBeNull();
  expect(sources(document)).toEqual(texts());
});

it('a notebook of one cell is taken in with a second one like it', async () => {
  const document = await folder.open(JSON.parse(withCells(one())));
  document.outside.canAsk = () => true;
  replaceFile(withCells(one(), one()));
  await document.checkDisk();
  expect([sources(document), document.outside.trouble]).toEqual([['one', 'one'], null]);
});

it('where nobody could be asked the file is right', async () => {
  const document = await folder.open(three);
  replaceFile(appended);
  await document.checkDisk();
  expect(sources(document)).toHaveLength(6);
});
