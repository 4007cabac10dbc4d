/**
 * Artifact folders of agents and of the notebooks that they run, in a server without a window: no clean-up of another process takes them away while
 * they are used, however old what lies in them is.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { artifactFolder } from '../../../main/artifacts/artifact-folder.ts';
import { cleanArtifacts } from '../../../main/artifacts/folder-cleanup.ts';
import { isInUse } from '../../../main/artifacts/folder-use.ts';
import { code, type McpFixture, openMcp, until } from '../agents/mcp-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LIMITS = { maxDays: 30, maxBytes: 1 };

let mcp: McpFixture;
beforeEach(async () => {
  mcp = await openMcp();
});
afterEach(() => mcp.close());

const all = (): string => path.join(mcp.profile, 'artifacts');

/** Everything in the folder was last used ninety days ago, as far as its times tell. */
async function age(folder: string): Promise<void> {
  const then = new Date(Date.now() - 90 * DAY_MS);
  for (const name of await readdir(folder)) await utimes(path.join(folder, name), then, then);
  await utimes(folder, then, then);
}

/** What a clean-up in this process removes when all that is there is old. */
async function cleanUp(): Promise<string[]> {
  for (const name of await readdir(all())) await age(path.join(all(), name));
  return (await cleanArtifacts(all(), LIMITS)).sort();
}

it('are kept while an agent’s kernel or a notebook’s run uses them, and free afterwards', async () => {
  const agent = await mcp.agent();
  const file = await mcp.notebook('run.ipynb', [
    code(
      'a',
      'import os, time\nopen(os.environ["ARTIFACTS"] + "/begun.txt", "w").close()\nwhile not os.path.exists("go"): time.sleep(0.01)',
    ),
  ]);
  const ofNotebook = artifactFolder(all(), file);
  const run = agent.call('notebook_run', { notebook_path: file, select: 'all' });
  await until(() => existsSync(path.join(ofNotebook, 'begun.txt')), 'the cell of the notebook');
  await agent.text('python', { cells: [{ code: 'import os\nopen(os.environ["ARTIFACTS"] + "/kept.txt", "w").close()' }] });
  const folders = (await readdir(all())).sort();
  expect(folders).toHaveLength(2);
  expect(await cleanUp()).toEqual([]);
  for (const name of folders)
    expect(existsSync(path.join(all(), name, name === path.basename(ofNotebook) ? 'begun.txt' : 'kept.txt'))).toBe(true);
  await writeFile(path.join(mcp.folder, 'go'), '');
  expect((await run).isError ?? false).toBe(false);
  await agent.close();
  await until(
    async () => (await Promise.all(folders.map((name) => isInUse(path.join(all(), name))))).every((used) => !used),
    'the end of the server',
  );
  expect(await cleanUp()).toEqual(folders);
});

it('are free when the server that used them was killed', async () => {
  const agent = await mcp.agent();
  await agent.text('python', { cells: [{ code: 'import os\nopen(os.environ["ARTIFACTS"] + "/kept.txt", "w").close()' }] });
  await mkdir(all(), { recursive: true });
  expect(await cleanUp()).toEqual([]);
  const [folder] = await readdir(all());
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => !(await isInUse(path.join(all(), folder!))), 'the end of the server');
  expect(await cleanUp()).toEqual([folder]);
});
