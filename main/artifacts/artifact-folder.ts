/** Where the artifacts of one notebook lie. */
import { createHash } from 'node:crypto';
import path from 'node:path';

/**
 * The same folder for a file over all starts, since its artifact ids must never be used twice. `identity` is the file's real path, or
 * the document's id while it has none.
 */
export function artifactFolder(artifactsFolder: string, identity: string): string {
  return path.join(artifactsFolder, createHash('sha256').update(identity).digest('hex').slice(0, 24));
}
