/**
 * The notebook's own metadata: the file's, with the few entries that Cellwright changes laid over it. Only those entries are ever decoded or
 * written: metadata may hold megabytes of widget state.
 */
import { decodeJson, type FileStyle, formatJson, sameJson } from './json-text.ts';
import { type NotebookFile, type Slice, topMember, withTopMember } from './notebook-file.ts';
import { findMember, type NewValue, spliceMembers } from './object-splice.ts';
import { mergedValue, objectText } from './value-merge.ts';

/** Nesting depth of the lines of metadata's entries. */
const ENTRY_DEPTH = 2;

export type MetadataChanges = ReadonlyMap<string, unknown>;

/** One entry of the file's metadata, undefined when it has none. */
export function metadataEntry(file: NotebookFile, key: string): unknown {
  const slice = entrySlice(file, key);
  return slice ? decodeJson(slice.bytes, slice.start, slice.end) : undefined;
}

/** The text of one entry, null when the file has none. */
export function entrySlice(file: NotebookFile, key: string): Slice | null {
  const metadata = topMember(file, 'metadata');
  const object = metadata && objectText(metadata);
  const member = object && findMember(object, key);
  return member ? { bytes: object.bytes, start: member.start, end: member.end } : null;
}

/** Names of the entries that the file has. */
export function metadataKeys(file: NotebookFile): string[] {
  const slice = topMember(file, 'metadata');
  return (slice && objectText(slice)?.members.map(({ key }) => key)) ?? [];
}

/** All metadata, decoded: the file's with the changes. */
export function allMetadata(file: NotebookFile, changes: MetadataChanges): Record<string, unknown> {
  const slice = topMember(file, 'metadata');
  const stored = slice ? decodeJson(slice.bytes, slice.start, slice.end) : {};
  const base = stored !== null && typeof stored === 'object' && !Array.isArray(stored) ? (stored as Record<string, unknown>) : {};
  return { ...base, ...Object.fromEntries(changes) };
}

/** The file with the changed entries; the others keep their bytes. */
export function withMetadata(file: NotebookFile, changes: MetadataChanges): NotebookFile {
  if (changes.size === 0) return file;
  const { style } = file;
  const slice = topMember(file, 'metadata');
  const object = slice && objectText(slice);
  if (!object) {
    return withTopMember(file, 'metadata', {
      text: Buffer.from(formatJson(Object.fromEntries(changes), style, ENTRY_DEPTH - 1)),
      count: changes.size,
    });
  }
  const texts = new Map<string, NewValue>();
  for (const [key, value] of changes) {
    const text = entryText(object.bytes, findMember(object, key), value, style);
    if (text) texts.set(key, text);
  }
  if (texts.size === 0) return file;
  const { bytes, members } = spliceMembers(object, texts, style, ENTRY_DEPTH);
  return withTopMember(file, 'metadata', { text: bytes, count: members.length });
}

function entryText(bytes: Buffer, member: { start: number; end: number } | undefined, value: unknown, style: FileStyle): NewValue | null {
  return mergedValue(member ? { bytes, start: member.start, end: member.end } : null, value, style, ENTRY_DEPTH);
}

/** `kernelspec` as nbformat has it, or null when the file names this kernel already: its display name may differ and stays then. */
export function kernelspecChange(
  present: unknown,
  spec: { name: string; display_name: string; language: string },
): Record<string, string> | null {
  if (present !== null && typeof present === 'object' && (present as { name?: unknown }).name === spec.name) return null;
  return { display_name: spec.display_name, language: spec.language, name: spec.name };
}

/** `language_info` in nbformat's (alphabetical) key order, or null when it is what the file has. */
export function languageInfoChange(present: unknown, info: Record<string, unknown>): Record<string, unknown> | null {
  if (sameJson(present, info)) return null;
  return Object.fromEntries(Object.entries(info).sort(([a], [b]) => (a < b ? -1 : 1)));
}
