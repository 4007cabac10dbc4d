/** `cellwright run`: what a notebook's code puts into ARTIFACTS is an artifact with its cell, time, type and size; the folder is free afterwards. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifactFolder } from '../../../main/artifacts/artifact-folder.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { isInUse, ownerOf } from '../../../main/artifacts/folder-use.ts';
import { type Cli, notebookText, openCli } from '../execution/cli-fixture.ts';

let cli: Cli;

beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli?.close());

it('gives ids to files, cell by cell and run by run', async () => {
  const file = path.join(cli.folder, 'files.ipynb');
  await writeFile(
    file,
    // Pauses, as the file system rounds times, and the cells would follow each other within its ticks.
    notebookText([
      'import os, pathlib, time\nplace = pathlib.Path(os.environ["ARTIFACTS"])\n(place / "table.csv").write_text("a,b\\n")\ntime.sleep(0.1)',
      'time.sleep(0.1)\n(place / "plots").mkdir(exist_ok=True)\n(place / "plots" / "one.svg").write_text("<svg/>")\ntime.sleep(0.1)',
      'time.sleep(0.1)\nraise SystemError((place / "last words.txt").write_text("x"))',
    ]),
  );
  const begun = Date.now();
  expect((await cli.run([file])).code).toBe(1);
  const folder = artifactFolder(path.join(cli.folder, 'profile', 'artifacts'), file);
  const list = async () =>
    (await new ArtifactStore(folder).list()).map(({ kind, source, mime, bytes }) => [kind, source.name, mime, bytes, source.areaId]);
  const first = await list();
  expect(first.map((fields) => fields.slice(0, 4))).toEqual(
    expect.arrayContaining([
      ['file', 'table.csv', 'text/csv', 4],
      ['file', 'one.svg', 'image/svg+xml', 6],
      ['file', 'last words.txt', 'text/plain', 1],
    ]),
  );
  expect(first).toHaveLength(3);
  // Each has the cell that made it.
  expect(new Set(first.map(([, , , , areaId]) => areaId)).size).toBe(3);
  for (const { createdAt } of await new ArtifactStore(folder).list()) expect(createdAt).toBeGreaterThan(begun - 1_000);
  expect(await ownerOf(folder)).toBe(file);
  expect(await isInUse(folder)).toBe(false);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(folder)).filter((name) => name.startsWith('.used-by'))).toEqual([]);
  // Written again, they are others.
  expect((await cli.run([file])).code).toBe(1);
  const again = await new ArtifactStore(folder).list();
  expect(again.map(({ id }) => id)).toEqual(['3', '4', '5']);
});
