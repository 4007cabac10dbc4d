/** One notebook in several processes: each is told of the others when it opens, when they come later, and when they are gone. Real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, expect, it } from 'vitest';
import { DocumentStore } from '../../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { OpenElsewhere } from '../../../../main/documents/outside/open-elsewhere.ts';
import { silentLog } from '../../../../main/log/log.ts';
import { code, notebook, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => ended(child, 'SIGKILL')));
});

const SIDES = ' Each side takes in what the other one saves, cell by cell.';
const BY_RUN = `a.ipynb is being run by “cellwright run” at the moment.${SIDES}`;

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return end;
}

async function openHere(name = 'a.ipynb'): Promise<{ document: NotebookDocument; store: DocumentStore; elsewhere: OpenElsewhere }> {
  const elsewhere = new OpenElsewhere({ folder: folder.path('open'), by: 'app', log: silentLog });
  const store = new DocumentStore({ elsewhere });
  const document = await store.open(folder.path(name));
  await elsewhere.settled;
  return { document, store, elsewhere };
}

/** Another process that opens the notebook, and closes it when its input ends. Resolves when it has said so. */
async function openThere(by: 'app' | 'run' | 'agents' = 'run'): Promise<{ child: ChildProcess; notices: string[] }> {
  const outfile = folder.path('opener.cjs');
  const contents = `
    import { DocumentStore } from './main/documents/document-store.ts';
    import { OpenElsewhere } from './main/documents/outside/open-elsewhere.ts';
    const elsewhere = new OpenElsewhere({ folder: process.argv[3], by: process.argv[4], log: console });
    const store = new DocumentStore({ elsewhere });
    store.open(process.argv[2]).then(async (document) => {
      await elsewhere.settled;
      process.stdout.write(JSON.stringify(document.notices) + '\\n');
      process.stdin.resume();
      process.stdin.on('end', async () => {
        store.close(document.id);
        await elsewhere.settled;
        process.exit(0);
      });
    });
  `;
  const resolveDir = fileURLToPath(new URL('../../../..', import.meta.url));
  await build({ stdin: { contents, resolveDir, loader: 'ts' }, bundle: true, platform: 'node', format: 'cjs', outfile, logLevel: 'error' });
  const child = spawn(process.execPath, [outfile, folder.path('a.ipynb'), folder.path('open'), by], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString())));
  return { child, notices: JSON.parse(line) as string[] };
}

/** Waits until the document says this of itself; the test's own limit ends the wait. */
async function says(document: NotebookDocument, notices: readonly string[]): Promise<void> {
  const holds = (): boolean => JSON.stringify(document.notices) === JSON.stringify(notices);
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('both sides are told, whoever came first, and no more once the other one has closed it', async () => {
  folder.write('a.ipynb', usual(notebook([code(['1'])])));
  const { document } = await openHere();
  expect(document.notices).toEqual([]);
  const { child, notices } = await openThere();
  expect(notices).toEqual([`a.ipynb is open in another Cellwright as well.${SIDES}`]);
  await says(document, [BY_RUN]);
  child.stdin!.end();
  await says(document, []);
  expect(readdirSync(folder.path('open'))).toHaveLength(1);
});

it('a process that was killed is nobody', async () => {
  folder.write('a.ipynb', usual(notebook([code(['1'])])));
  const { child } = await openThere('agents');
  const first = await openHere();
  expect(first.document.notices).toEqual([`a.ipynb is open for agents in a Cellwright without a window as well.${SIDES}`]);
  first.store.close(first.document.id);
  await first.elsewhere.settled;
  await ended(child, 'SIGKILL');
  const second = await openHere();
  expect(second.document.notices).toEqual([]);
  expect(readdirSync(folder.path('open'))).toHaveLength(1);
});

it('another path to the same file is the same; another file is not, nor what is no entry at all', async () => {
  folder.write('a.ipynb', usual(notebook([code(['1'])])));
  folder.write('b.ipynb', usual(notebook([code(['1'])])));
  symlinkSync('a.ipynb', folder.path('link.ipynb'));
  await openThere();
  for (const name of readdirSync(folder.path('open')))
    writeFileSync(join(folder.path('open'), name.replace(/\d+\.json$/, '1.json')), 'no entry');
  const linked = await openHere('link.ipynb');
  expect(linked.document.notices).toEqual([`link.ipynb is being run by “cellwright run” at the moment.${SIDES}`]);
  const other = await openHere('b.ipynb');
  expect(other.document.notices).toEqual([]);
  await other.document.saveAs(folder.path('c.ipynb'));
  await other.elsewhere.settled;
  expect(readdirSync(folder.path('open'))).toHaveLength(3);
});
