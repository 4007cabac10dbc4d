/**
 * Answers under `artifact://<docId>/<id>`: the files of one notebook's artifact folder, in ranges. The store alone decides which file an id
 * means, so no address can name a path.
 */
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { OpenNotebook } from './open-notebook.ts';
import { servedType } from './output-protocol.ts';
import { fileResponse, refusal } from './served-files.ts';

export async function serveArtifact(
  request: { url: string; method: string; headers: Headers },
  find: (docId: string) => OpenNotebook | undefined,
): Promise<Response> {
  if (!URL.canParse(request.url)) return refusal(400);
  const url = new URL(request.url);
  const id = /^\/(\d{1,12})$/.exec(url.pathname)?.[1];
  const notebook = find(url.hostname);
  if (id === undefined || !notebook) return refusal(404);
  const artifact = await new ArtifactStore(notebook.artifactFolder).resolve(id);
  return artifact ? fileResponse(artifact.file, servedType(artifact.mime), request) : refusal(404);
}
