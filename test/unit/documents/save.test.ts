/** Atomic saves on a real file system: links, modes, owners, conflicts, failures that leave everything as it was. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DiskState, readDiskState } from '../../../main/documents/disk-state.ts';
import { NotebookSaveError, type SaveErrorCode } from '../../../main/documents/errors.ts';
import { saveAtomically } from '../../../main/documents/save.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const NEW = [Buffer.from('new '), Buffer.from('text')];
const overwrite = { expected: null };

async function failure(save: Promise<unknown>): Promise<NotebookSaveError> {
  const error: unknown = await save.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NotebookSaveError)) throw new Error(`expected a NotebookSaveError, got ${String(error)}`);
  expect(error.hint).not.toBe('');
  return error;
}

const expectCode = async (save: Promise<unknown>, code: SaveErrorCode): Promise<void> => {
  expect((await failure(save)).code).toBe(code);
};

describe('a save', () => {
  it('writes all pieces and leaves no temporary file', async () => {
    const path = folder.write('a.ipynb', 'old');
    const { realPath, state, notice } = await saveAtomically(path, NEW, overwrite);
    expect(folder.read('a.ipynb')).toBe('new text');
    expect(folder.names()).toEqual(['a.ipynb']);
    expect(realPath).toBe(path);
    expect(state.size).toBe(8n);
    expect(notice).toBeNull();
  });

  it('of a large file replaces one that others read, who read on', async () => {
    const old = Buffer.alloc(3_000_000, 'o');
    const path = folder.write('a.ipynb', old);
    const reader = await open(path);
    try {
      await saveAtomically(path, [Buffer.alloc(20_000_000, 'n'), Buffer.from('end')], { expected: null });
      expect((await reader.readFile()).equals(old)).toBe(true);
    } finally {
      await reader.close();
    }
    expect(folder.read('a.ipynb').length).toBe(20_000_003);
    expect(folder.names()).toEqual(['a.ipynb']);
  });

  it('makes a file that was not there, with the usual mode', async () => {
    await saveAtomically(folder.path('new.ipynb'), NEW, overwrite);
    expect(statSync(folder.path('new.ipynb')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('keeps mode and owner', async () => {
    const path = folder.write('a.ipynb', 'old');
    chmodSync(path, 0o640);
    if (process.getuid?.() === 0) chownSync(path, 1234, 2345);
    const before = statSync(path);
    await saveAtomically(path, NEW, overwrite);
    const after = statSync(path);
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
  });

  it('writes the target of a link, through several links, and keeps the links', async () => {
    mkdirSync(folder.path('store'));
    writeFileSync(folder.path('store/real.ipynb'), 'old');
    symlinkSync('store/real.ipynb', folder.path('one.ipynb'));
    symlinkSync(folder.path('one.ipynb'), folder.path('two.ipynb'));
    const { realPath } = await saveAtomically(folder.path('two.ipynb'), NEW, overwrite);
    expect(realPath).toBe(folder.path('store/real.ipynb'));
    expect(folder.read('store/real.ipynb')).toBe('new text');
    expect(lstatSync(folder.path('one.ipynb')).isSymbolicLink()).toBe(true);
    expect(lstatSync(folder.path('two.ipynb')).isSymbolicLink()).toBe(true);
  });

  it('makes the missing target of a link', async () => {
    symlinkSync('later.ipynb', folder.path('link.ipynb'));
    await saveAtomically(folder.path('link.ipynb'), NEW, overwrite);
    expect(lstatSync(folder.path('link.ipynb')).isSymbolicLink()).toBe(true);
    expect(folder.read('later.ipynb')).toBe('new text');
  });

  it('says that other hard links keep the old version', async () => {
    const path = folder.write('a.ipynb', 'old');
    linkSync(path, folder.path('b.ipynb'));
    const { notice } = await saveAtomically(path, NEW, overwrite);
    expect(notice).toBe('a.ipynb had 2 names (hard links). This save went to a.ipynb alone; the other names keep the version before it.');
    expect(folder.read('b.ipynb')).toBe('old');
  });

  it('takes away what a killed process left, but not what another one writes now', async () => {
    const path = folder.write('a.ipynb', 'old');
    const left = `.cellwright-${createHash('sha256').update('a.ipynb').digest('hex').slice(0, 12)}.tmp`;
    folder.write(left, 'half');
    await saveAtomically(path, NEW, overwrite);
    expect(folder.names()).toEqual([left, 'a.ipynb']);
    utimesSync(folder.path(left), new Date(1e12), new Date(1e12));
    await saveAtomically(path, NEW, overwrite);
    expect(folder.names()).toEqual(['a.ipynb']);
    expect(folder.read('a.ipynb')).toBe('new text');
  });

  it('works for a name as long as the file system allows', async () => {
    const name = `${'n'.repeat(249)}.ipynb`;
    await saveAtomically(folder.path(name), NEW, overwrite);
    expect(folder.read(name)).toBe('new text');
  });
});

describe('a change by another program', () => {
  async function opened(content: string): Promise<{ path: string; expected: { state: DiskState; pieces: Buffer[] } }> {
    const path = folder.write('a.ipynb', content);
    // Older than one step of file times, so that the state alone tells.
    utimesSync(path, new Date(1e12), new Date(1e12));
    return { path, expected: { state: (await readDiskState(path))!, pieces: [Buffer.from(content)] } };
  }

  it('is never overwritten', async () => {
    const { path, expected } = await opened('old');
    writeFileSync(path, 'theirs');
    await expectCode(saveAtomically(path, NEW, { expected }), 'conflict');
    expect(folder.read('a.ipynb')).toBe('theirs');
    expect(folder.names()).toEqual(['a.ipynb']);
  });

  it('is noticed by content when size and time are the same', async () => {
    const { path, expected } = await opened('old');
    const fresh = { ...expected, state: { ...expected.state, racy: true } };
    writeFileSync(path, 'odl');
    utimesSync(path, new Date(1e12), new Date(1e12));
    await expectCode(saveAtomically(path, NEW, { expected: fresh }), 'conflict');
    expect([folder.read('a.ipynb'), folder.names()]).toEqual(['odl', ['a.ipynb']]);
  });

  it('is told before anything that goes wrong with writing', async () => {
    const { path, expected } = await opened('old');
    writeFileSync(path, 'odl');
    utimesSync(path, new Date(1e12), new Date(1e12));
    const fresh = { ...expected, state: { ...expected.state, racy: true } };
    const broken = [null as unknown as Buffer];
    await expectCode(saveAtomically(path, broken, { expected: fresh }), 'conflict');
    writeFileSync(path, 'old');
    utimesSync(path, new Date(1e12), new Date(1e12));
    await expect(saveAtomically(path, broken, { expected: fresh })).rejects.toThrow();
    expect([folder.read('a.ipynb'), folder.names()]).toEqual(['old', ['a.ipynb']]);
  });

  it('is none when the file was only touched or replaced by an equal copy', async () => {
    const { path, expected } = await opened('old');
    utimesSync(path, new Date(), new Date());
    folder.write('copy', 'old');
    renameSync(folder.path('copy'), path);
    await saveAtomically(path, NEW, { expected });
    expect(folder.read('a.ipynb')).toBe('new text');
  });

  it('that removed the file does not keep it from being saved', async () => {
    const { path, expected } = await opened('old');
    rmSync(path);
    await saveAtomically(path, NEW, { expected });
    expect(folder.read('a.ipynb')).toBe('new text');
  });
});

describe('a failed save', () => {
  it('of a write-protected file says so, and works once the protection is gone', async () => {
    const path = folder.write('a.ipynb', 'old');
    chmodSync(path, 0o444);
    const error = await failure(saveAtomically(path, NEW, overwrite));
    expect(error).toMatchObject({ code: 'read-only', message: 'a.ipynb is write-protected, so nothing was saved.' });
    expect(folder.read('a.ipynb')).toBe('old');
    expect(folder.names()).toEqual(['a.ipynb']);
    chmodSync(path, 0o644);
    await saveAtomically(path, NEW, overwrite);
    expect(folder.read('a.ipynb')).toBe('new text');
  });

  it('tells a vanished folder', async () => {
    mkdirSync(folder.path('gone'));
    const path = join(folder.path('gone'), 'a.ipynb');
    rmSync(folder.path('gone'), { recursive: true });
    await expectCode(saveAtomically(path, NEW, overwrite), 'folder-gone');
    expect(existsSync(folder.path('gone'))).toBe(false);
  });

  it('tells a folder, a file as folder, and other things that are no files', async () => {
    mkdirSync(folder.path('dir.ipynb'));
    await expectCode(saveAtomically(folder.path('dir.ipynb'), NEW, overwrite), 'is-folder');
    folder.write('file', 'x');
    await expectCode(saveAtomically(folder.path('file/a.ipynb'), NEW, overwrite), 'folder-gone');
    await expectCode(saveAtomically('/dev/null', NEW, overwrite), 'not-file');
  });

  it('tells a name that is too long and a link that leads to itself', async () => {
    await expectCode(saveAtomically(folder.path(`${'n'.repeat(300)}.ipynb`), NEW, overwrite), 'bad-name');
    symlinkSync('loop.ipynb', folder.path('loop.ipynb'));
    await expectCode(saveAtomically(folder.path('loop.ipynb'), NEW, overwrite), 'not-file');
  });

  it('never writes a file that it was told to keep', async () => {
    const path = folder.write('old.ipynb', 'version 3');
    await expectCode(saveAtomically(path, NEW, { expected: null, forbidden: path }), 'read-only');
    expect(readFileSync(path, 'utf8')).toBe('version 3');
  });
});
