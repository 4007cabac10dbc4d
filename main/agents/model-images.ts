/**
 * The images of a result: small enough ones as they are, large ones scaled down with the whole image behind an address. Only the first few are
 * sent; a loop that draws a thousand figures must not fill a model's context.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { ArtifactStore } from '../artifacts/artifact-store.ts';
import { extensionFor } from '../execution/payloads.ts';
import type { ModelImage, Pixels } from './image-scaling.ts';
import type { ImageWork } from './image-work.ts';
import type { ToolImage } from './tool.ts';

/** Images of one result. */
export const IMAGES_LIMIT = 6;

/** Where an image is: in memory, or in a file of an artifact folder. */
export interface ImageSource {
  mime: string;
  /** Base64, or an SVG's text. */
  payload: string | null;
  file: string | null;
  /** Its address when it is an artifact already. */
  uri: string | null;
}

export interface ShownImages {
  images: ToolImage[];
  /** One line for each image, in order. */
  notes: string[];
  links: { uri: string; name: string; mime: string }[];
}

export class ModelImages {
  readonly #work: Pick<ImageWork, 'fitted' | 'ofScreen'>;

  constructor(work: Pick<ImageWork, 'fitted' | 'ofScreen'>) {
    this.#work = work;
  }

  /** A picture of the screen; its pixels come as blue, green, red and opacity. Null when it can't be made. */
  async ofScreen(pixels: Pixels): Promise<ToolImage | null> {
    const image = await this.#work.ofScreen(pixels);
    return image && toolImage(image);
  }

  /** `folder` takes the images that are not shown as they are and have no address yet. */
  async show(sources: readonly ImageSource[], folder: string): Promise<ShownImages> {
    const shown: ShownImages = { images: [], notes: [], links: [] };
    const store = new ArtifactStore(folder);
    for (const [index, source] of sources.entries()) {
      const bytes = await bytesOf(source);
      const name = `image ${index + 1} (${source.mime})`;
      if (!bytes) {
        shown.notes.push(`[${name} could not be read.]`);
        continue;
      }
      const image = shown.images.length < IMAGES_LIMIT ? await this.#work.fitted(source.mime, bytes) : null;
      if (image) shown.images.push(toolImage(image));
      const uri = source.uri ?? (image && !image.scaled ? null : await keep(store, source.mime, bytes));
      if (uri) shown.links.push({ uri, name, mime: source.mime });
      const where = uri === null ? '' : ` Whole image: ${uri}`;
      const what = image ? (image.scaled ? 'is shown scaled down' : 'is shown') : `is not shown (${bytes.length} bytes)`;
      shown.notes.push(`[${name} ${what}.${where}]`);
    }
    return shown;
  }
}

function toolImage({ mime, bytes }: ModelImage): ToolImage {
  return { mime, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
}

async function bytesOf({ mime, payload, file }: ImageSource): Promise<Buffer | null> {
  if (payload !== null) return Buffer.from(payload, mime === 'image/svg+xml' ? 'utf8' : 'base64');
  return file === null ? null : readFile(file).catch(() => null);
}

async function keep(store: ArtifactStore, mime: string, bytes: Buffer): Promise<string | null> {
  try {
    const { id, file } = await store.allocate('payload', extensionFor(mime), { mime, source: {} });
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 });
    return `artifact://${id}`;
  } catch {
    // A disk that is full costs the address, not the answer.
    return null;
  }
}
