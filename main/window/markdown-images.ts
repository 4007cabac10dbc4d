/**
 * Answers for the images in a cell's markdown: attachments out of the notebook's file, and image files from its folder downwards. The
 * markdown is a stranger's, so a file counts only where it really lies, after every link.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ImageAddress } from '../../preload/image-address.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import { payloadBytes } from './payloads.ts';
import { bytesResponse, fileResponse, isBelow, realFileIn, refusal } from './served-files.ts';

/** A page of larger pictures would take the window's memory: they are decoded whole. */
const MAX_BYTES = 50 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.apng': 'image/apng',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.svg': 'image/svg+xml',
};
const SERVED_TYPES: ReadonlySet<string> = new Set(Object.values(TYPES));

interface Asked {
  method: string;
  headers: Headers;
}

export async function serveMarkdownImage(
  request: Asked,
  { kind, cellKey, name }: ImageAddress,
  document: Pick<NotebookDocument, 'path' | 'attachments'> | undefined,
): Promise<Response> {
  if (!document) return refusal(404);
  if (kind === 'file') return document.path === null ? refusal(404) : imageFile(request, name, path.dirname(document.path));
  const image = attachedImage(document.attachments(cellKey) ?? {}, name);
  return image ? bytesResponse(image.bytes, image.type, request) : refusal(404);
}

async function imageFile(request: Asked, name: string, folder: string): Promise<Response> {
  const wanted = fileOfAddress(name, folder);
  const type = wanted === null ? undefined : TYPES[path.extname(wanted).toLowerCase()];
  if (wanted === null || !type) return refusal(404);
  const file = await realFileIn(wanted, await realpath(folder));
  if (file === null || (await stat(file)).size > MAX_BYTES) return refusal(404);
  return fileResponse(file, type, request);
}

/** The path in `folder` that a relative address means, links not followed; null when it means none there. Pure. */
export function fileOfAddress(address: string, folder: string): string | null {
  const name = decoded(address.replace(/[?#].*$/s, ''));
  if (name === '' || name.includes('\0')) return null;
  const file = path.resolve(folder, name);
  return isBelow(file, path.resolve(folder)) ? file : null;
}

/** The first image of the attachment; its name may stand in the markdown as it is or encoded. Pure; throws for no JSON of attachments. */
export function attachedImage(
  attachments: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  name: string,
): { type: string; bytes: Buffer } | null {
  const known = [name, decoded(name)].find((each) => Object.hasOwn(attachments, each));
  if (known === undefined) return null;
  const found = Object.entries(attachments[known] ?? {}).find(([mime]) => SERVED_TYPES.has(mime));
  if (!found) return null;
  const [type, payload] = found;
  const bytes = payloadBytes(type, payload);
  // SVG is text in outputs, but what is dropped on a cell is stored as base64 whatever it is.
  const isText = type !== 'image/svg+xml' || bytes.includes('<');
  return { type, bytes: isText ? bytes : Buffer.from(bytes.toString(), 'base64') };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
