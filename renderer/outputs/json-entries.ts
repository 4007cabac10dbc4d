/**
 * JSON for display: what a closed value says about itself, and the children of an open one, large ones in ranges, so that opening a list
 * of a million numbers makes a hundred rows and not a million. Pure.
 */

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonChild {
  /** Shown before the value: a key, an index, or a range such as `100 … 199`. */
  label: string;
  value: unknown;
  /** Set when the child stands for several entries of its parent. */
  range: { from: number; to: number } | null;
}

/** Children of one row. A power of it makes the ranges of ranges. */
export const PAGE = 100;
const PREVIEW_LENGTH = 64;

export function jsonKind(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'string';
}

/** The children of a value, or of entries `from`..`to` of it. */
export function jsonChildren(value: unknown, range: { from: number; to: number } | null = null): JsonChild[] {
  const keys = Array.isArray(value) ? null : Object.keys(value as Record<string, unknown>);
  const total = keys ? keys.length : (value as unknown[]).length;
  const from = range?.from ?? 0;
  const to = range?.to ?? total;
  const step = stepFor(to - from);
  const children: JsonChild[] = [];
  for (let at = from; at < to; at += step) {
    if (step === 1) {
      const label = keys ? keys[at]! : String(at);
      children.push({ label, value: (value as Record<string, unknown>)[label], range: null });
    } else {
      const end = Math.min(at + step, to);
      children.push({ label: `${at.toLocaleString('en-US')} … ${(end - 1).toLocaleString('en-US')}`, value, range: { from: at, to: end } });
    }
  }
  return children;
}

function stepFor(count: number): number {
  let step = 1;
  while (count / step > PAGE) step *= PAGE;
  return step;
}

export function jsonSize(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** What a closed array or object shows: its first entries, then how many there are. */
export function jsonPreview(value: unknown): string {
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  let length = 0;
  let isCut = false;
  for (const key of previewKeys(value)) {
    const text = isArray
      ? short((value as unknown[])[key as number])
      : `${key}: ${short((value as Record<string, unknown>)[key as string])}`;
    if (length + text.length > PREVIEW_LENGTH && parts.length > 0) {
      isCut = true;
      break;
    }
    parts.push(text);
    length += text.length + 2;
  }
  if (jsonSize(value) > parts.length) isCut = true;
  const inner = `${parts.join(', ')}${isCut ? ', …' : ''}`;
  return isArray ? `[${inner}]` : `{${inner}}`;
}

function previewKeys(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return [...value.slice(0, 20).keys()];
  return Object.keys(value as Record<string, unknown>).slice(0, 20);
}

function short(value: unknown): string {
  switch (jsonKind(value)) {
    case 'array':
      return jsonSize(value) === 0 ? '[]' : `[${jsonSize(value)}]`;
    case 'object':
      return jsonSize(value) === 0 ? '{}' : '{…}';
    case 'string':
      return quote(String(value), 24);
    default:
      return String(value);
  }
}

/** A string as JSON writes it, cut to `limit` characters. */
export function quote(text: string, limit: number): string {
  return text.length <= limit ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, limit)).slice(0, -1)}…"`;
}
