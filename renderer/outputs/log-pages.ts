/**
 * A log file of any size as pages of whole lines. Only bytes can be asked for by place, so a page is a byte range whose ends are moved to
 * line ends: it begins behind the first line feed of its range and ends behind the first one of the next. Pure.
 */

/** Bytes of one page; the pages of a view are measured and kept by the list that shows them. */
export const PAGE_BYTES = 64 * 1024;
/** How far a page reads into its neighbours to find a line's end; a longer line is cut. */
export const OVERLAP_BYTES = 16 * 1024;
/** Pages in one view. More would make an element taller than a browser can draw. */
export const PAGES_PER_VIEW = 256;

const LINE_FEED = 0x0a;

export interface ByteRange {
  start: number;
  /** Not included. */
  end: number;
}

export function pageCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PAGE_BYTES));
}

/** Pages of view `view` (0-based): first and last, the last one not included. */
export function viewPages(bytes: number, view: number): ByteRange {
  const start = view * PAGES_PER_VIEW;
  return { start, end: Math.min(start + PAGES_PER_VIEW, pageCount(bytes)) };
}

export function viewCount(bytes: number): number {
  return Math.ceil(pageCount(bytes) / PAGES_PER_VIEW);
}

/** What has to be fetched to show a page: its own bytes, one before them, and the overlap behind. */
export function pageRange(bytes: number, page: number): ByteRange {
  const start = page * PAGE_BYTES;
  return { start: Math.max(0, start - 1), end: Math.min(bytes, start + PAGE_BYTES + OVERLAP_BYTES) };
}

/** The page's text from the bytes of its range. */
export function pageText(bytes: number, page: number, data: Uint8Array): string {
  const range = pageRange(bytes, page);
  const nominalStart = page * PAGE_BYTES - range.start;
  const nominalEnd = Math.min(bytes, (page + 1) * PAGE_BYTES) - range.start;
  const start = page === 0 ? 0 : lineStart(data, nominalStart, OVERLAP_BYTES);
  const isLast = range.start + nominalEnd >= bytes;
  const end = isLast ? data.length : lineStart(data, nominalEnd, OVERLAP_BYTES);
  return new TextDecoder().decode(data.subarray(start, Math.max(start, end)));
}

/** The first place at or behind `at` where a line begins; without one within `limit`, the first place where a character begins. */
function lineStart(data: Uint8Array, at: number, limit: number): number {
  const last = Math.min(data.length, at + limit);
  for (let place = at; place <= last; place += 1) if (place > 0 && data[place - 1] === LINE_FEED) return place;
  let place = at;
  while (place < data.length && (data[place]! & 0xc0) === 0x80) place += 1;
  return place;
}

/** Size of the whole from a `content-range` header (`bytes 0-99/1234`), or null. */
export function totalBytes(contentRange: string | null): number | null {
  const match = /\/(\d+)$/.exec(contentRange ?? '');
  return match ? Number(match[1]) : null;
}
