/**
 * Answers under `artifact://<docId, agent's id or folder's name>/<id>`, in ranges: the files of the artifact folder of a notebook or of an agent,
 * and stored streams that were too long for their cell. The store alone decides which file an id means, so no address can name a path.
 */
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import { readStreamId, type StreamAddress } from './long-streams.ts';
import type { OpenNotebook } from './open-notebook.ts';
import { servedType } from './output-protocol.ts';
import { bytesResponse, fileResponse, refusal } from './served-files.ts';

export async function serveArtifact(
  request: { url: string; method: string; headers: Headers },
  find: (docId: string) => OpenNotebook | undefined,
  cardFolder: (host: string) => string | null,
): Promise<Response> {
  if (!URL.canParse(request.url)) return refusal(400);
  const url = new URL(request.url);
  const id = url.pathname.slice(1);
  const notebook = find(url.hostname);
  const stream = readStreamId(id);
  if (stream) return notebook ? streamResponse(notebook, stream, request) : refusal(404);
  const folder = notebook?.artifactFolder ?? cardFolder(url.hostname);
  if (folder === null) return refusal(404);
  const artifact = await new ArtifactStore(folder).resolve(id);
  return artifact ? fileResponse(artifact.file, servedType(artifact.mime), request) : refusal(404);
}

/** The whole of a stored stream that a window got without its middle. */
function streamResponse(
  notebook: OpenNotebook,
  { cellKey, index, revision }: StreamAddress,
  request: { method: string; headers: Headers },
): Response {
  if (!notebook.feed.isCurrent(cellKey, index, revision)) return refusal(410);
  const output = notebook.document.outputs(cellKey)[index];
  return output?.type === 'stream' ? bytesResponse(Buffer.from(output.text), servedType('text/plain'), request) : refusal(404);
}
