/**
 * The images and JSON values of one agent cell. Large ones go to the artifacts at once, small images when the cell is over and it is known
 * which are left: an animation that clears its output for each frame makes no thousand files. A disk that fails costs nothing but memory.
 */
import { writeFileSync } from 'node:fs';
import { reserveSync } from '../../artifacts/artifact-file.ts';
import { errorFields, type Log } from '../../log/log.ts';
import { extensionFor, PAYLOAD_LIMIT } from '../payloads.ts';
import type { DisplayContent } from './display-content.ts';
import type { AgentImage, LeftOutJson } from './output-protocol.ts';

/** UTF-16 units of a JSON value that a result may carry as it is. */
const JSON_LIMIT = 64 * 1024;
/** The same for all values of a cell. */
const JSON_TOTAL_LIMIT = 256 * 1024;
/** Images and JSON values of one cell; nobody looks at more, and each costs memory. */
export const ITEMS_LIMIT = 100;

/** The images and JSON values of one display. */
export interface Shown {
  json: HeldJson[];
  images: HeldImage[];
}

type HeldJson = { value: unknown; units: number } | { leftOut: LeftOutJson };
type HeldImage = { mime: string; payload: string } | { image: AgentImage };

export interface DataFolder {
  folder: string | null;
  source: { areaId: string; runId: string };
  log: Log;
}

export function hold(content: DisplayContent, where: DataFolder): Shown {
  return {
    json: content.json.map((value) => {
      const text = JSON.stringify(value) ?? 'null';
      return text.length > JSON_LIMIT ? { leftOut: spillJson(text, where) } : { value, units: text.length };
    }),
    images: content.images.map((image) => (image.payload.length > PAYLOAD_LIMIT ? { image: toImage(image, where) } : image)),
  };
}

/** What is shown at one time. A display that is updated gets another key. */
export interface ShownNow {
  keys: number[];
  /** Images and JSON values in all of them. */
  items: number;
}

/** One display as main is told of it: its images are files by then. */
export interface ToldDisplay extends Shown {
  key: number;
  displayId: string | null;
  images: { image: AgentImage }[];
}

export function countItems(shown: readonly Shown[]): number {
  return shown.reduce((sum, { json, images }) => sum + json.length + images.length, 0);
}

/** Of the displays that were told, those that are still shown, and how many images and values were never told. Pure. */
export function stillShown(told: readonly ToldDisplay[], now: ShownNow): { displays: ToldDisplay[]; lost: number } {
  const displays = told.filter(({ key }) => now.keys.includes(key));
  return { displays, lost: now.items - countItems(displays) };
}

/** What main can be told of these. At most `files` images become files for it; the others, and values without end, are left out. */
export function tellable(
  shown: readonly (Shown & Pick<ToldDisplay, 'key' | 'displayId'>)[],
  where: DataFolder,
  files: number,
): ToldDisplay[] {
  let room = JSON_TOTAL_LIMIT;
  let left = files;
  return shown.map((one) => {
    one.images = one.images.map((held) => {
      if ('image' in held || left === 0 || where.folder === null) return held;
      left -= 1;
      return { image: toImage(held, where) };
    });
    const images = one.images.flatMap((held) => ('image' in held && held.image.file !== null ? [held] : []));
    const json = one.json.filter((held) => {
      room -= 'value' in held ? held.units : 0;
      return room >= 0;
    });
    return { key: one.key, displayId: one.displayId, json, images };
  });
}

export function isEmpty({ json, images }: Shown): boolean {
  return json.length === 0 && images.length === 0;
}

/** What is left at the end of the cell, in order. */
export function collect(shown: readonly Shown[], where: DataFolder): { json: unknown[]; images: AgentImage[] } {
  let room = JSON_TOTAL_LIMIT;
  const json = shown
    .flatMap((one) => one.json)
    .map((held) => {
      if ('leftOut' in held) return held.leftOut;
      room -= held.units;
      return room >= 0 ? held.value : spillJson(JSON.stringify(held.value) ?? 'null', where);
    });
  return { json, images: shown.flatMap(({ images }) => images).map((held) => ('image' in held ? held.image : toImage(held, where))) };
}

function spillJson(text: string, where: DataFolder): LeftOutJson {
  const bytes = Buffer.from(text);
  const kept = keep('application/json', 'txt', bytes, where);
  return { bytes: bytes.length, artifact: kept && `artifact://${kept.id}` };
}

function toImage({ mime, payload }: { mime: string; payload: string }, where: DataFolder): AgentImage {
  const bytes = Buffer.from(payload, mime === 'image/svg+xml' ? 'utf8' : 'base64');
  const kept = keep(mime, extensionFor(mime), bytes, where);
  return {
    mime,
    bytes: bytes.length,
    artifactId: kept?.id ?? null,
    file: kept?.file ?? null,
    base64: kept ? null : bytes.toString('base64'),
  };
}

/** Synchronous, as all that is done with a message: whoever hears of the artifact may read it at once. */
function keep(mime: string, extension: string, bytes: Buffer, { folder, source, log }: DataFolder): { id: string; file: string } | null {
  if (folder === null) return null;
  try {
    const artifact = reserveSync(folder, extension, { kind: 'payload', mime, createdAt: Date.now(), source });
    writeFileSync(artifact.file, bytes, { flag: 'wx', mode: 0o600 });
    return artifact;
  } catch (error) {
    log.warn('artifact.payload-failed', { mime, ...errorFields(error) });
    return null;
  }
}
