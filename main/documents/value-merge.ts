/**
 * Rewrites a JSON value in its own text: members that stay equal keep their spelling at every level of objects, so that changing one setting
 * never touches the numbers, escapes or key order of the others.
 */
import { scanAtOnce } from './json-spans.ts';
import { decodeJson, type FileStyle, formatJson, sameJson } from './json-text.ts';
import type { Slice } from './notebook-file.ts';
import { findMember, membersOf, type NewValue, type ObjectText, spliceMembers } from './object-splice.ts';

/** The new text, or null when the old one already says the same. `depth` is the nesting depth of the value's first line. */
export function mergedValue(
  old: Slice | null,
  wanted: unknown,
  style: FileStyle,
  depth: number,
  onNonFinite?: () => void,
): NewValue | null {
  if (old && sameJson(decodeJson(old.bytes, old.start, old.end), wanted)) return null;
  const object = old && isObject(wanted) ? objectText(old) : null;
  if (!object) return { text: Buffer.from(formatJson(wanted, style, depth, onNonFinite)), count: countOf(wanted) };
  const entries = Object.entries(wanted as object);
  const changes = new Map<string, NewValue | null>();
  for (const { key } of object.members) if (!Object.hasOwn(wanted as object, key)) changes.set(key, null);
  for (const [key, value] of entries) {
    const member = findMember(object, key);
    const text = mergedValue(
      member ? { bytes: object.bytes, start: member.start, end: member.end } : null,
      value,
      style,
      depth + 1,
      onNonFinite,
    );
    if (text) changes.set(key, text);
  }
  const { bytes, members } = spliceMembers(object, changes, style, depth + 1);
  return { text: bytes, count: members.length };
}

/** The members of an object in a text, or null when it is no object. */
export function objectText(slice: Slice): ObjectText | null {
  if (slice.bytes[slice.start] !== 0x7b) return null;
  const { root } = scanAtOnce(slice.bytes, { start: slice.start, end: slice.end, keepDepth: 1 });
  return { bytes: slice.bytes, start: root.start, end: root.end, members: membersOf(root) };
}

function countOf(value: unknown): number {
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
