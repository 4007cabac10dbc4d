/** A notebook that is open in the window while `cellwright run` runs it: each is told of the other, and what the run wrote comes in. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { drawn } from '../notebook/notebook-page.ts';
import { appInPlace } from '../window/app-in-place.ts';
import { picture } from '../window/picture.ts';
import { codeCell, endOf, readNotebook, until, writeNotebook } from '../window/start-app.ts';

const at = appInPlace('test');

/** A busy machine takes its time over what is waited for; a hang still ends before the test's own limit. */
const PATIENCE_MS = 90_000;

it('both are told, the outputs come in, and the word goes with the run', async () => {
  const held = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)\nprint("made by the run")';
  const file = await writeNotebook(path.join(at.place.folder, 'a.ipynb'), [codeCell(held)]);
  const { page } = await at.start([file]);
  page.setDefaultTimeout(PATIENCE_MS);
  await drawn(page);
  const run = spawn(process.execPath, [path.join(repository, 'bin', 'cellwright.mjs'), 'run', file], {
    cwd: at.place.folder,
    env: at.place.env,
  });
  let said = '';
  run.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = endOf(run);
  const word = page.getByText('a.ipynb is being run by “cellwright run” at the moment.');
  await word.waitFor();
  await picture(page, 'run-elsewhere');
  await writeFile(path.join(at.place.folder, 'go'), '');
  await page.getByText('made by the run', { exact: true }).waitFor();
  await word.waitFor({ state: 'detached' });
  expect(await ended).toEqual({ code: 0, signal: null });
  await until(async () => said.includes('a.ipynb is open in another Cellwright as well.'));
  expect(JSON.stringify((await readNotebook(file)).cells[0]!.outputs)).toContain('made by the run');
  expect(at.app.problems).toEqual([]);
});
