/** Work that was given up or put away: it can be found, compared, brought back as a document of its own, and removed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { keptTexts, openKept, removeKept } from '../../../../main/documents/journal/kept-work.ts';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { code, markdown, notebook, temporaryFolder, usual } from '../temporary-folder.ts';
import { crash, endSessions, journaled, keptFolders, nextStart, type Session, session, sources, type as typeIn, until } from './profile.ts';

const folder = temporaryFolder();
afterEach(endSessions);
const profile = (): string => folder.path('profile');

/** A document that somebody typed in and closed without saving it. */
async function givenUp(text: string, content = usual(notebook([code(['a = 1']), markdown(['# Title'])]))): Promise<Session> {
  const started = session(profile());
  const document = await started.store.open(folder.write('a.ipynb', content));
  typeIn(document, 0, text);
  await journaled(profile(), text);
  await discarded(started, document);
  return started;
}

async function discarded({ store }: Session, document: NotebookDocument): Promise<void> {
  const before = keptFolders(profile()).length;
  store.close(document.id);
  await until(() => keptFolders(profile()).length > before);
}

describe('what was given up', () => {
  it('is listed with its place and time, the newest first', async () => {
    const started = await givenUp('first');
    const untitled = started.store.create({ folder: folder.path('') });
    typeIn(untitled, 0, 'second');
    await journaled(profile(), 'second');
    await discarded(started, untitled);
    const kept = await started.journals.kept();
    expect(kept.map(({ left }) => [left?.title, left?.state, left?.cells])).toEqual([
      ['Untitled.ipynb', 'untitled', 1],
      ['a.ipynb', 'same', 1],
    ]);
  });

  it('is compared with the file as it is now', async () => {
    const { journals } = await givenUp('a = 2');
    const [one] = await journals.kept();
    expect(await keptTexts(one!.left!)).toEqual({
      kept: '# %%\na = 2\n\n# %% [markdown]\n# Title',
      file: '# %%\na = 1\n\n# %% [markdown]\n# Title',
    });
    folder.write('a.ipynb', 'damaged');
    expect((await keptTexts((await journals.kept())[0]!.left!)).file).toBeNull();
  });

  it.each<[string, (path: string) => void]>([
    ['is as it was', () => undefined],
    ['is another', (path) => writeFileSync(path, usual(notebook([code(['theirs'])])))],
    ['is gone', (path) => rmSync(path)],
  ])('opens as a document of its own when the file %s, and stays kept', async (_name, change) => {
    const { journals, store } = await givenUp(
      'mine',
      usual(notebook([code(['a'], { outputs: [{ name: 'stdout', output_type: 'stream', text: ['out\n'] }] }), code(['b'])])),
    );
    const path = folder.path('a.ipynb');
    change(path);
    const before = readOrNull(path);
    const document = await openKept((await journals.kept())[0]!.left!, store);
    expect([document.path, document.title, document.dirty, sources(document)]).toEqual([null, 'a (recovered).ipynb', true, ['mine', 'b']]);
    expect(document.outputs(document.keys()[0]!)).toMatchObject([{ type: 'stream', text: 'out\n' }]);
    await document.saveAs(folder.path('back.ipynb'));
    expect(readOrNull(path)).toBe(before);
    expect(await journals.kept()).toHaveLength(1);
  });

  it('has its outputs also when the file was too large to be copied with them', async () => {
    const text = 'x'.repeat(17_000_000);
    const { journals, store } = await givenUp(
      'mine',
      usual(notebook([code(['a'], { outputs: [{ name: 'stdout', output_type: 'stream', text }] })])),
    );
    const document = await openKept((await journals.kept())[0]!.left!, store);
    expect(document.outputs(document.keys()[0]!)).toEqual([{ type: 'stream', name: 'stdout', text }]);
  });

  it('is gone when it is removed', async () => {
    const { journals } = await givenUp('mine');
    const [one] = await journals.kept();
    await removeKept(one!);
    expect([await journals.kept(), keptFolders(profile())]).toEqual([[], []]);
  });
});

it('what a crash left and was put away is kept as well', async () => {
  const { store } = session(profile());
  const document = await store.open(folder.write('a.ipynb', usual(notebook([code(['a'])]))));
  typeIn(document, 0, 'mine');
  await journaled(profile(), 'mine');
  crash(profile());
  const { journals } = session(profile());
  for (const left of await journals.takeLeft()) await journals.dismiss(left);
  expect((await journals.kept()).map(({ left }) => left?.title)).toEqual(['a.ipynb']);
  expect((await nextStart(profile())).recovered).toEqual([]);
  expect(await journals.kept()).toHaveLength(1);
});

it('what is damaged is listed, too, with the folder that it lies in', async () => {
  const { journals } = session(profile());
  expect(await journals.kept()).toEqual([]);
  const damaged = join(profile(), 'kept', 'damaged');
  mkdirSync(damaged, { recursive: true });
  writeFileSync(join(damaged, 'changes.log'), 'nonsense\n');
  expect(await journals.kept()).toMatchObject([{ id: 'damaged', folder: damaged, left: null }]);
});

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
