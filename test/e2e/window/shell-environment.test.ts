/** An app that a desktop has started: its kernels have what the person's shell sets, and one that gives nothing holds nobody up for ever. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { appInPlace } from './app-in-place.ts';
import { cellKeys } from './edit-source.ts';
import { codeCell, must, until, writeNotebook } from './start-app.ts';

const run = appInPlace('test');

let home: string;
beforeEach(async () => {
  home = path.join(run.place.root, 'home');
  await mkdir(home);
  const { TERM: _term, CELLWRIGHT_SHELL_ENVIRONMENT: _off, ...env } = run.place.env;
  run.place.env = { ...env, HOME: home, SHELL: '/bin/bash' };
});

/** Opens a notebook, runs its one cell, and gives what it printed and what is said of the kernel. */
async function printed(source: string): Promise<{ text: string; message: string | null }> {
  const file = await writeNotebook(path.join(run.place.folder, 'shell.ipynb'), [codeCell(source)]);
  const { page } = await run.start();
  const snapshot = await must(page, 'doc.open', { path: file });
  const { docId } = snapshot.document;
  const [key] = cellKeys(snapshot) as [string];
  await must(page, 'run.cells', { docId, keys: [key] });
  const [output] = await until(async () => {
    const found = (await must(page, 'doc.outputs', { docId, keys: [key] }))[key];
    return found?.length ? found : null;
  });
  const { kernel } = await must(page, 'doc.open', { path: file });
  return { text: output?.type === 'stream' ? output.text : JSON.stringify(output), message: kernel.message };
}

it('kernels have the variables and the PATH of the person’s shell', async () => {
  await writeFile(path.join(home, '.bash_profile'), 'echo Welcome back\nsleep 1\nexport X=1\nexport PATH="$HOME/my tools:$PATH"\n');
  const { text, message } = await printed('import os; print(os.environ.get("X"), os.environ["PATH"])');
  expect(text).toMatch(/^1 /);
  expect(text).toContain(`${home}/my tools:`);
  expect(message).toBeNull();
});

it('a shell that gives nothing is told of, and the cell runs all the same', async () => {
  await writeFile(path.join(home, '.bash_profile'), 'export X=1\nexit 7\n');
  const { text, message } = await printed('import os; print(os.environ.get("X"))');
  expect(text).toBe('None\n');
  expect(message).toBe(
    '/bin/bash gave no variables before it ended (code 7). To have them, mend the files that it starts with, or start Cellwright from a terminal.',
  );
});
