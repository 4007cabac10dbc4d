/** What a notebook's code finds around it: its folder, and where artifacts go. */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openSession, type SessionFixture } from './session-fixture.ts';

let fixture: SessionFixture;
afterEach(() => fixture.close());

it('works in the notebook’s folder and writes into ARTIFACTS, also after a restart', async () => {
  fixture = await openSession();
  const { session, notebook, folder, artifacts } = fixture;
  const where = notebook.code('import os\nprint(os.getcwd())\nopen(os.path.join(os.environ["ARTIFACTS"], "table.csv"), "w").write("a,b")');
  for (let round = 0; round < 2; round += 1) {
    expect((await session.runCells([where])).status).toBe('ok');
    expect(notebook.text(where)).toContain(`${await realpath(folder)}\n`);
    expect(await readFile(path.join(artifacts, 'table.csv'), 'utf8')).toBe('a,b');
    await session.restart();
  }
});

it('stays where it is when the notebook is saved elsewhere, says so, and follows with a restart', async () => {
  const [before, after] = await Promise.all(['before', 'after'].map(async (name) => realpath(await mkdtemp(path.join(os.tmpdir(), name)))));
  let folder = before!;
  try {
    fixture = await openSession({ cwd: () => folder });
    const { session, notebook } = fixture;
    const where = notebook.code('import os\nprint(os.getcwd())');
    await session.runCells([where]);
    expect(session.kernelView().message).toBeNull();
    let told: string | null = null;
    session.on('kernel', ({ message }) => (told = message));
    folder = after!;
    session.folderChanged();
    expect(told).toBe(`The kernel works in ${before}. Restart it to work in ${after}, where the notebook is now.`);
    await session.runCells([where]);
    expect(notebook.text(where)).toBe(`${before}\n`);
    expect(session.kernelView().message).toBe(told);
    await session.restart();
    expect(session.kernelView().message).toBeNull();
    await session.runCells([where]);
    expect(notebook.text(where)).toBe(`${after}\n`);
  } finally {
    for (const each of [before!, after!]) await rm(each, { recursive: true, force: true });
  }
});

it('has no ARTIFACTS where the notebook keeps none', async () => {
  fixture = await openSession({ artifacts: false });
  const { session, notebook } = fixture;
  const where = notebook.code('import os\nprint(os.environ.get("ARTIFACTS"))');
  await session.runCells([where]);
  expect(notebook.text(where)).toBe('None\n');
});
