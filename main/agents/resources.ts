/**
 * What an agent can read as MCP resources: artifacts and notebooks. An address is all a caller can say: which folder it means is looked up among
 * those that this agent was told of, so no address leads to another agent's files or out of a folder.
 */
import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { type Artifact, ArtifactStore } from '../artifacts/artifact-store.ts';
import { ToolError } from './errors.ts';
import { withNotebook } from './notebook-access.ts';
import { lookAt } from './notebook-look.ts';
import { asOutput, outputsText } from './output-text.ts';
import { liesIn } from './paths.ts';
import type { ToolContext } from './tool.ts';

/** Bytes of one answer. Larger artifacts are read in pieces. */
const PIECE_BYTES = 512 * 1024;
/** Artifacts that are listed: the newest. */
const LISTED = 100;
/** UTF-16 units of a notebook as a resource. */
const NOTEBOOK_UNITS = 200_000;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'artifact://{+id}{?offset}',
    name: 'artifact',
    title: 'Artifact',
    description: `A whole output, image or file, by the address that a result gave. Pieces of ${PIECE_BYTES / 1024} KB: give the offset in bytes of the next.`,
  },
  {
    uriTemplate: 'notebook://{+path}',
    name: 'notebook',
    title: 'Notebook',
    description: 'A notebook as text, with the ends of its outputs. The path is absolute.',
    mimeType: 'text/markdown',
  },
];

export interface ResourcePiece {
  uri: string;
  mimeType: string;
  text?: string;
  blob?: string;
}

const ARTIFACT = /^artifact:\/\/(?:([0-9a-f]{24})\/)?(\d{1,15})(?:\?offset=(\d{1,15}))?$/;

/** Throws ToolError, PathError, NotebookOpenError. */
export async function readResource(uri: string, context: ToolContext): Promise<ResourcePiece> {
  if (uri.startsWith('notebook://')) return readNotebook(uri, context);
  const match = ARTIFACT.exec(uri);
  if (!match)
    throw new ToolError(`${uri} is no address of a resource. Use artifact://<id> as a result gave it, or notebook://<absolute path>.`);
  const [, name, id = '', offset = '0'] = match;
  const folder = name === undefined ? context.artifactFolder : context.agent.artifactFolders.get(name);
  const artifact = folder === undefined ? null : await new ArtifactStore(folder).resolve(id);
  if (!artifact)
    throw new ToolError(`There is no artifact ${uri}. Take the address from the result that named it, or read the notebook again.`);
  return readPiece(uri, artifact, Number(offset));
}

export async function listResources({ agent, reach, workspace, artifactFolder }: ToolContext): Promise<Resource[]> {
  const artifacts = await new ArtifactStore(artifactFolder).list();
  const notebooks = workspace
    .opened()
    .flatMap(({ document: { realPath } }) =>
      realPath !== null && reach.folders.some((folder) => liesIn(realPath, folder)) ? [realPath] : [],
    );
  return [
    ...notebooks.map((path) => ({ uri: notebookUri(path), name: path, mimeType: 'text/markdown' })),
    ...artifacts.slice(-LISTED).map(({ id, mime, kind, bytes, source }) => ({
      uri: `artifact://${id}`,
      name: source.name ?? `${kind} ${id}`,
      description: `${kind} of ${agent.name}`,
      mimeType: mime,
      size: bytes,
    })),
  ];
}

export function notebookUri(path: string): string {
  return pathToFileURL(path).href.replace(/^file:/, 'notebook:');
}

async function readPiece(uri: string, { file, mime, bytes }: Artifact, offset: number): Promise<ResourcePiece> {
  const isText = /^(text\/|application\/json)/.test(mime) || mime === 'image/svg+xml';
  const length = Math.max(0, Math.min(PIECE_BYTES, bytes - offset));
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
    const piece = buffer.subarray(0, bytesRead);
    if (!isText) return { uri, mimeType: mime, blob: piece.toString('base64') };
    const cut = wholeCharacters(piece);
    const end = offset + cut.start + cut.text.length;
    const more = end < bytes ? `\n[${bytes - end} more bytes: read ${uri.replace(/\?.*$/, '')}?offset=${end}]` : '';
    return { uri, mimeType: 'text/plain', text: `${cut.text.toString('utf8')}${more}` };
  } finally {
    await handle.close();
  }
}

/** Without the parts of characters that were cut at both ends. */
function wholeCharacters(bytes: Buffer): { start: number; text: Buffer } {
  let start = 0;
  while (start < Math.min(3, bytes.length) && (bytes[start]! & 0xc0) === 0x80) start += 1;
  let end = bytes.length;
  let back = end - 1;
  while (back > Math.max(start, end - 4) && (bytes[back]! & 0xc0) === 0x80) back -= 1;
  const lead = bytes[back] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (back >= start && end - back < needed) end = back;
  return { start, text: bytes.subarray(start, end) };
}

async function readNotebook(uri: string, context: ToolContext): Promise<ResourcePiece> {
  return withNotebook(uri.replace(/^notebook:/, 'file:'), context, async ({ notebook, address }) => {
    const blocks = lookAt(notebook).map((cell) => {
      const source = cell.type === 'code' ? `\`\`\`\n${cell.source}\n\`\`\`` : cell.source;
      const { text } = outputsText(notebook.document.outputs(cell.key), address);
      const output = text === '' ? '' : `\n${asOutput(text.slice(-1_000))}`;
      return `<!-- cell ${cell.index} ${cell.id ?? ''} ${cell.status} -->\n${source}${output}`;
    });
    const text = blocks.join('\n\n');
    const cut = text.length > NOTEBOOK_UNITS ? `${text.slice(0, NOTEBOOK_UNITS)}\n[cut: read the rest with notebook_read]` : text;
    return { uri, mimeType: 'text/markdown', text: cut };
  });
}
