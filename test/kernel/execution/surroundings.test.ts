/** What a notebook's code finds around it: its folder, and where artifacts go. */
import { readFile, realpath } from 'node:fs/promises';
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

it('has no ARTIFACTS where the notebook keeps none', async () => {
  fixture = await openSession({ artifacts: false });
  const { session, notebook } = fixture;
  const where = notebook.code('import os\nprint(os.environ.get("ARTIFACTS"))');
  await session.runCells([where]);
  expect(notebook.text(where)).toBe('None\n');
});
