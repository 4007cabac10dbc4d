/**
 * Changes members of a JSON object in its own text: every byte of what is not changed stays, also separators and odd spacing.
 * The result carries the spans of its members, worked out while it is put together, so that nothing has to be read a second time.
 */
import type { JsonNode } from './json-spans.ts';
import { type FileStyle, newline, separator } from './json-text.ts';

export interface Member {
  key: string;
  /** Offsets in `bytes`: the key's opening quote, and the value from its first byte to after its last. */
  keyStart: number;
  start: number;
  end: number;
  /** Number of elements or members of the value. */
  count: number;
}

/** An object's text: `bytes[start]` is its brace, `end` comes after the closing one. */
export interface ObjectText {
  bytes: Buffer;
  start: number;
  end: number;
  members: readonly Member[];
}

/** The new text of a value, or null to take the member away. */
export interface NewValue {
  text: Buffer;
  count: number;
}

export function membersOf(node: JsonNode): Member[] {
  return (node.children ?? []).map(({ key, keyStart, start, end, count }) => ({ key: key!, keyStart, start, end, count }));
}

/** The member that readers see: of duplicate keys the last one wins. */
export function findMember(object: ObjectText, key: string): Member | undefined {
  for (let index = object.members.length - 1; index >= 0; index -= 1) {
    if (object.members[index]!.key === key) return object.members[index];
  }
  return undefined;
}

/** One part of the new object: a run of old bytes or new text. */
interface Entry {
  key: string;
  /** What stood before the key, null for a new member. */
  before: Buffer | null;
  /** Key, colon and space between. */
  label: Buffer;
  value: Buffer;
  count: number;
}

/**
 * The object with some members changed. A new member goes to its alphabetical place when the keys are sorted (nbformat sorts them), else to
 * the end. `depth` is the nesting depth of the members' lines.
 */
export function spliceMembers(
  object: ObjectText,
  changes: ReadonlyMap<string, NewValue | null>,
  style: FileStyle,
  depth: number,
): ObjectText {
  const entries = keptEntries(object, changes);
  const spacing = spacingOf(object, style, depth);
  for (const [key, value] of changes) {
    if (value && !findMember(object, key))
      insertEntry(entries, {
        key,
        before: null,
        label: Buffer.from(JSON.stringify(key) + spacing.colon),
        value: value.text,
        count: value.count,
      });
  }
  return assemble(entries, spacing);
}

function keptEntries(object: ObjectText, changes: ReadonlyMap<string, NewValue | null>): Entry[] {
  const entries: Entry[] = [];
  let at = object.start + 1;
  for (const member of object.members) {
    const before = object.bytes.subarray(at, member.keyStart);
    at = member.end;
    const change = changes.get(member.key);
    if (change === null) continue;
    // Of duplicates only the one that counts is changed.
    const replaced = change && member === findMember(object, member.key) ? change : null;
    entries.push({
      key: member.key,
      before,
      label: object.bytes.subarray(member.keyStart, member.start),
      value: replaced ? replaced.text : object.bytes.subarray(member.start, member.end),
      count: replaced ? replaced.count : member.count,
    });
  }
  return entries;
}

interface Spacing {
  lead: Buffer;
  between: Buffer;
  trail: Buffer;
  colon: string;
}

/** The object's own spacing, read off its first members; the file's where it has none. */
function spacingOf(object: ObjectText, style: FileStyle, depth: number): Spacing {
  const [first, second] = object.members;
  if (!first) {
    return {
      lead: Buffer.from(newline(style, depth)),
      between: Buffer.from(separator(style, depth)),
      trail: Buffer.from(newline(style, depth - 1)),
      colon: style.colon,
    };
  }
  const lead = object.bytes.subarray(object.start + 1, first.keyStart);
  const ownSeparator = lead.includes(0x0a) ? `,${lead.toString('latin1')}` : style.indent === null ? style.comma : ', ';
  return {
    lead,
    between: second ? object.bytes.subarray(first.end, second.keyStart) : Buffer.from(ownSeparator),
    trail: object.bytes.subarray(object.members.at(-1)!.end, object.end - 1),
    colon: colonOf(object.bytes, first),
  };
}

/** The text between a member's key and its value. */
function colonOf(bytes: Buffer, member: Member): string {
  const closingQuote = bytes.lastIndexOf(0x22, member.start - 1);
  return bytes.toString('latin1', closingQuote + 1, member.start);
}

function insertEntry(entries: Entry[], entry: Entry): void {
  const sorted = entries.every((other, index) => index === 0 || entries[index - 1]!.key <= other.key);
  const place = sorted ? entries.findIndex((other) => other.key > entry.key) : -1;
  entries.splice(place === -1 ? entries.length : place, 0, entry);
}

function assemble(entries: readonly Entry[], spacing: Spacing): ObjectText {
  if (entries.length === 0) return { bytes: Buffer.from('{}'), start: 0, end: 2, members: [] };
  const parts: Buffer[] = [Buffer.from('{')];
  const members: Member[] = [];
  let length = 1;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  entries.forEach((entry, index) => {
    // A member keeps the separator before it, unless it was the first one and is not any more.
    push(index === 0 ? spacing.lead : entry.before?.includes(0x2c) ? entry.before : spacing.between);
    const keyStart = length;
    push(entry.label);
    const start = length;
    push(entry.value);
    members.push({ key: entry.key, keyStart, start, end: length, count: entry.count });
  });
  push(spacing.trail);
  push(Buffer.from('}'));
  return { bytes: Buffer.concat(parts, length), start: 0, end: length, members };
}
