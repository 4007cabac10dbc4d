/**
 * Saves under trouble that only a real system makes: a full disk, a folder without write permission, readers during saves, and a process that is
 * killed while it saves. The file is whole at every instant and nothing unsaved is called saved.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DocumentStore } from '../../main/documents/document-store.ts';
import { NotebookSaveError } from '../../main/documents/errors.ts';
import { setSource } from '../../preload/notebook-model.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cellwright-save-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function notebookOf(bytes: number): string {
  const line = `${'x'.repeat(99)}\n`;
  const outputs = [{ name: 'stdout', output_type: 'stream', text: Array.from({ length: bytes / 100 }, () => line) }];
  return `${JSON.stringify({ cells: [{ cell_type: 'code', execution_count: 1, metadata: {}, outputs, source: ['0'] }], metadata: {}, nbformat: 4, nbformat_minor: 4 }, null, 1)}\n`;
}

async function failure(save: Promise<void>): Promise<NotebookSaveError> {
  const error: unknown = await save.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof NotebookSaveError) return error;
  throw new Error(`expected a NotebookSaveError, got ${String(error)}`);
}

/** A disk of one megabyte, or null where this process may not mount one. */
function smallDisk(): string | null {
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  return process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0 ? disk : null;
}

describe('a full disk', () => {
  it('is said, leaves file and document as they were, and the save works once there is space', async (context) => {
    const mounted = smallDisk();
    if (mounted === null) return context.skip('a small disk can only be mounted on Linux, as root');
    try {
      const path = join(mounted, 'a.ipynb');
      const text = notebookOf(300_000);
      writeFileSync(path, text);
      writeFileSync(join(mounted, 'ballast'), Buffer.alloc(500_000));
      const document = await new DocumentStore().open(path);
      setSource(document.ydoc, document.keys()[0]!, 'more');
      const error = await failure(document.save());
      expect(error).toMatchObject({ code: 'no-space', message: 'The disk is full, so a.ipynb was not saved.' });
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(readdirSync(mounted).sort()).toEqual(['a.ipynb', 'ballast']);
      expect(document.dirty).toBe(true);
      rmSync(join(mounted, 'ballast'));
      await document.save();
      expect(readFileSync(path, 'utf8')).toContain('"more"');
      expect(document.dirty).toBe(false);
    } finally {
      execFileSync('umount', [mounted]);
    }
  });
});

it('a folder without write permission is told apart from a write-protected file', async (context) => {
  if (process.platform === 'win32' || process.getuid?.() === 0)
    return context.skip('who is root, or on Windows, may write into any folder');
  const sub = join(folder, 'locked');
  mkdirSync(sub);
  const path = join(sub, 'a.ipynb');
  writeFileSync(path, notebookOf(100));
  const document = await new DocumentStore().open(path);
  setSource(document.ydoc, document.keys()[0]!, 'x');
  chmodSync(sub, 0o555);
  try {
    expect((await failure(document.save())).code).toBe('no-permission');
  } finally {
    chmodSync(sub, 0o755);
  }
  await document.save();
});

/** A process that opens the notebook and saves one edit after the other, as fast as it can, until it is ended. */
async function buildSaver(): Promise<string> {
  const outfile = join(folder, 'saver.cjs');
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const contents = `
    import { DocumentStore } from './main/documents/document-store.ts';
    import { setSource } from './preload/notebook-model.ts';
    async function run() {
      const document = await new DocumentStore().open(process.argv[2]);
      for (let count = 1; count <= Number(process.argv[3]); count += 1) {
        setSource(document.ydoc, document.keys()[0], String(count));
        const saving = document.save();
        if (count % 2 === 0) process.stdout.write('.');
        await saving;
      }
    }
    run();
  `;
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

describe('another process', () => {
  let saver = '';
  beforeAll(async () => {
    saver = await buildSaver();
  });

  it('that reads during saves never sees half a file', async () => {
    const path = join(folder, 'read.ipynb');
    writeFileSync(path, notebookOf(5_000_000));
    const child = spawn(process.execPath, [saver, path, '40'], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    let running = true;
    ended.then(() => {
      running = false;
    });
    const seen = new Set<string>();
    let reads = 0;
    while (running) {
      const { cells } = JSON.parse(readFileSync(path, 'utf8')) as { cells: { source: string[] }[] };
      seen.add(cells[0]!.source[0]!);
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await ended).toBe(0);
    expect(reads).toBeGreaterThan(10);
    // Reads fell between saves, not only before and after.
    expect(seen.size).toBeGreaterThan(3);
  });

  it('that is killed while it saves leaves an old or a new version, whole', async () => {
    const path = join(folder, 'killed.ipynb');
    const kills = 25;
    for (let round = 0; round < kills; round += 1) {
      writeFileSync(path, notebookOf(3_000_000));
      const child = spawn(process.execPath, [saver, path, '1000000'], { stdio: ['ignore', 'pipe', 'ignore'] });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      // Different instants of a save, spread by the round.
      await new Promise((resolve) => setTimeout(resolve, (round * 7) % 40));
      child.kill('SIGKILL');
      await new Promise((resolve) => child.on('exit', resolve));
      const { cells } = JSON.parse(readFileSync(path, 'utf8')) as { cells: { source: string[]; outputs: unknown[] }[] };
      expect(Number(cells[0]!.source[0])).toBeGreaterThan(0);
      expect(cells[0]!.outputs).toHaveLength(1);
      await (await new DocumentStore().open(path)).save();
    }
  });
});
