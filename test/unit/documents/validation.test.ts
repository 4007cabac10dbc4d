/** Validation beside main: what does not fit is told by the document once it is open, and nothing that goes wrong there reaches the document. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { Validation } from '../../../main/documents/validation.ts';
import type { Log } from '../../../main/log/log.ts';
import { silentLog } from '../../../main/log/log.ts';
import { nodeBundleOptions } from '../../../scripts/build.mjs';
import { repository } from '../../../scripts/setup/paths.mjs';
import { code, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();
let workers: string;
let worker: string;
beforeAll(async () => {
  workers = await mkdtemp(path.join(os.tmpdir(), 'cellwright-validation-'));
  worker = path.join(workers, 'validation-worker.cjs');
  const entry = path.join(repository, 'main/documents/validation-worker.ts');
  await build({ ...nodeBundleOptions(), entryPoints: [entry], outfile: worker });
});
afterAll(() => rm(workers, { recursive: true, force: true }));

const BROKEN = usual(notebook([{ cell_type: 'code', metadata: {}, outputs: [], source: [] }]));

function warnings(): { log: Log; heard: Promise<string> } {
  let hear = (_message: string): void => undefined;
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  return { log: { ...silentLog, warn: (message) => hear(message) }, heard };
}

describe('a notebook that is opened', () => {
  it('is told what does not fit, also when several are opened at once', async () => {
    const store = new DocumentStore({ validation: new Validation({ worker, log: silentLog }) });
    const good = await store.open(folder.write('good.ipynb', usual(notebook([code(['x'])]))));
    const broken = await Promise.all(['a', 'b', 'c'].map((name) => store.open(folder.write(`${name}.ipynb`, BROKEN))));
    await Promise.all(
      broken.map(
        (document) =>
          new Promise<void>((resolve) => {
            document.on('state', () => document.notices.length > 0 && resolve());
          }),
      ),
    );
    for (const { notices } of broken) {
      expect(notices).toEqual([
        'The notebook does not fit nbformat 4.4 in one place (cells[0]: "execution_count" is missing). What you don\'t change stays as it is.',
      ]);
    }
    expect(good.notices).toEqual([]);
  });

  it('works on when the worker can’t be started or dies', async () => {
    const deadly = path.join(workers, 'deadly.cjs');
    await writeFile(deadly, 'process.exit(3);');
    for (const script of [path.join(workers, 'nowhere.cjs'), deadly]) {
      const { log, heard } = warnings();
      const document = await new DocumentStore({ validation: new Validation({ worker: script, log }) }).open(
        folder.write('a.ipynb', BROKEN),
      );
      expect(await heard).toBe('validation.failed');
      expect(document.notices).toEqual([]);
    }
  });
});
