/** Reads what an address in a card leads to, for exports that must hold it themselves. */
import { readFile } from 'node:fs/promises';
import { ArtifactStore } from '../artifacts/artifact-store.ts';

/** The folder that the first part of an artifact's address means; null for none. */
export type FolderOf = (host: string) => string | null;

const ADDRESS = /^artifact:\/\/([^/]+)\/([^/]+)$/;

/** Null when it is not there any more or has more than `limit` bytes. */
export async function readKept(url: string, folderOf: FolderOf, limit: number): Promise<Buffer | null> {
  const [, host, id] = ADDRESS.exec(url) ?? [];
  const folder = host === undefined ? null : folderOf(host);
  if (folder === null || id === undefined) return null;
  const artifact = await new ArtifactStore(folder).resolve(id);
  if (!artifact || artifact.bytes > limit) return null;
  return readFile(artifact.file).catch(() => null);
}
