/** Artifact ids and files on a real folder: never the same id twice, and no id that leads out of the folder. */
import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserveSync, safeExtension } from '../../../main/artifacts/artifact-file.ts';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'cellwright-artifacts-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const meta = { mime: 'text/plain', source: { areaId: 'cell' } };

async function put(store: ArtifactStore, text: string): Promise<string> {
  const { id, file } = await store.allocate('stream', 'txt', meta);
  await writeFile(file, text);
  return id;
}

describe('ids', () => {
  it('count up from 0', async () => {
    const store = new ArtifactStore(path.join(root, 'made', 'when needed'));
    expect([await put(store, 'a'), await put(store, 'b'), await put(store, 'c')]).toEqual(['0', '1', '2']);
    expect((await store.list()).map(({ id, bytes }) => [id, bytes])).toEqual([
      ['0', 1],
      ['1', 1],
      ['2', 1],
    ]);
  });

  it('go on after a restart, also when the last file is gone', async () => {
    const store = new ArtifactStore(root);
    for (let count = 0; count < 12; count += 1) await put(store, 'x');
    const last = await store.resolve('11');
    await unlink(last!.file);
    expect(await store.resolve('11')).toBeNull();
    expect(await put(new ArtifactStore(root), 'y')).toBe('12');
  });

  it('are never given twice by two processes and the host', async () => {
    const stores = [new ArtifactStore(root), new ArtifactStore(root)];
    const ids: string[] = [];
    await Promise.all(
      stores.map(async (store) => {
        for (let count = 0; count < 50; count += 1) {
          ids.push((await store.allocate('stream', 'txt', meta)).id);
          ids.push(reserveSync(root, 'txt', { kind: 'stream', createdAt: 0, ...meta }).id);
        }
      }),
    );
    expect(new Set(ids).size).toBe(200);
  });
});

describe('files', () => {
  it('say what they are', async () => {
    const store = new ArtifactStore(root);
    const id = await put(store, 'text');
    const artifact = await new ArtifactStore(root).resolve(id);
    expect(artifact).toMatchObject({ id, kind: 'stream', mime: 'text/plain', bytes: 4, source: { areaId: 'cell' } });
  });

  it.each(['', '-1', '1.0', '01', '../0', '0/../0', '%2e%2e', '0\0', 'x', '1e1', ' 0', '9'.repeat(30)])(
    'of id %j are not there',
    async (id) => {
      const store = new ArtifactStore(root);
      await put(store, 'text');
      expect(await store.resolve(id)).toBeNull();
    },
  );

  it('outside the folder are not reached by a note or a link', async () => {
    const secret = path.join(root, 'secret.txt');
    await writeFile(secret, 'secret');
    const folder = path.join(root, 'session');
    const store = new ArtifactStore(folder);
    const { file } = await store.allocate('stream', 'txt', meta);
    await symlink(secret, file);
    expect(await store.resolve('0')).toBeNull();
    const note = { kind: 'stream', mime: 'text/plain', createdAt: 0, source: {} };
    for (const [id, name] of Object.entries({ 1: '../secret.txt', 2: secret, 3: '3.txt/../../secret.txt', 4: '0.txt' })) {
      await writeFile(path.join(folder, `${id}.json`), JSON.stringify({ ...note, file: name }));
      expect(await store.resolve(id)).toBeNull();
    }
  });

  it('survive a damaged note', async () => {
    await writeFile(path.join(root, '0.json'), '{"kind":');
    await writeFile(path.join(root, '1.json'), '[]');
    const store = new ArtifactStore(root);
    expect(await store.resolve('0')).toBeNull();
    expect(await store.resolve('1')).toBeNull();
    expect(await put(store, 'x')).toBe('2');
  });

  it.each([
    ['png', 'png'],
    ['SVG', 'svg'],
    ['../x', 'data'],
    ['json', 'data'],
    ['', 'data'],
  ])('with extension %j end in %j', (extension, safe) => {
    expect(safeExtension(extension)).toBe(safe);
  });
});
