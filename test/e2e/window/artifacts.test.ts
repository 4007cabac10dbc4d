/** Artifact folders under the real app: what code saves has an id that the window can open; old folders go, and never one that is in use. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { artifactFolder } from '../../../main/artifacts/artifact-folder.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { appInPlace } from './app-in-place.ts';
import { cellKeys } from './edit-source.ts';
import { codeCell, must, until, writeNotebook } from './start-app.ts';

const run = appInPlace('file');

const LONG_AGO = new Date(Date.now() - 90 * 24 * 60 * 60 * 1000);

async function age(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await utimes(path.join(folder, name), LONG_AGO, LONG_AGO);
  await utimes(folder, LONG_AGO, LONG_AGO);
}

it('files of code get ids, old folders are removed, and one in use is not', async () => {
  const all = path.join(run.place.profile, 'artifacts');
  const file = await writeNotebook(path.join(run.place.folder, 'a.ipynb'), [
    codeCell('import os, pathlib\n_ = pathlib.Path(os.environ["ARTIFACTS"], "data.csv").write_text("a,b")'),
  ]);
  const [used, unused] = [artifactFolder(all, file), artifactFolder(all, 'nobody')];
  for (const folder of [used, unused]) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'old.txt'), 'old');
  }
  // The app looks once, some seconds after its start.
  await age(unused);
  await run.start();
  const snapshot = await must(run.app.page, 'doc.open', { path: file });
  await until(async () => (await readdir(used)).some((name) => name.startsWith('.used-by-')));
  await age(used);
  await until(async () => !(await readdir(all)).some((name) => name.startsWith(path.basename(unused))));
  expect(await readdir(used)).toContain('old.txt');

  await must(run.app.page, 'run.cells', { docId: snapshot.document.docId, keys: cellKeys(snapshot) });
  const found = await until(async () => {
    const list = await new ArtifactStore(used).list();
    return list.find(({ source }) => source.name === 'data.csv');
  });
  expect(found).toMatchObject({ kind: 'file', mime: 'text/csv', bytes: 3, source: { areaId: cellKeys(snapshot)[0] } });
  await run.stop();
  expect((await readdir(used)).filter((name) => name.startsWith('.used-by-'))).toEqual([]);
});
