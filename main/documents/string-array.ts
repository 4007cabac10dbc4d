/**
 * The text of an array of lines (a cell's source) when some lines change: equal lines at the start and end keep their own spelling, escapes
 * and spacing, so that a version-control diff shows the changed lines alone.
 */
import { scanAtOnce } from './json-spans.ts';
import { decodeJson, type FileStyle, newline, separator } from './json-text.ts';
import type { NewValue } from './object-splice.ts';

/**
 * `old` is the value's present text or null. `depth` is the nesting depth of the line that holds the opening bracket. Lines go in as
 * `toLines` gives them.
 */
export function lineArrayText(old: Buffer | null, lines: readonly string[], style: FileStyle, depth: number): NewValue {
  if (lines.length === 0) return { text: Buffer.from('[]'), count: 0 };
  const elements = old ? elementSpans(old) : [];
  const texts = elements.map(({ start, end }) => decodeJson(old!, start, end));
  let head = 0;
  while (head < lines.length && head < texts.length && texts[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < lines.length - head && tail < texts.length - head && texts.at(-1 - tail) === lines.at(-1 - tail)) tail += 1;
  const spacing = arraySpacing(old, elements, style, depth);
  const parts: Buffer[] = [Buffer.from(`[${spacing.lead}`)];
  lines.forEach((line, index) => {
    if (index > 0) parts.push(Buffer.from(spacing.between));
    const kept = index < head ? index : index >= lines.length - tail ? elements.length - (lines.length - index) : -1;
    parts.push(kept === -1 ? Buffer.from(JSON.stringify(line)) : old!.subarray(elements[kept]!.start, elements[kept]!.end));
  });
  parts.push(Buffer.from(`${spacing.trail}]`));
  return { text: Buffer.concat(parts), count: lines.length };
}

function elementSpans(text: Buffer): { start: number; end: number }[] {
  if (text[0] !== 0x5b) return [];
  return scanAtOnce(text, { keepDepth: 1 }).root.children ?? [];
}

function arraySpacing(old: Buffer | null, elements: readonly { start: number; end: number }[], style: FileStyle, depth: number) {
  const [first, second] = elements;
  if (!old || !first) return { lead: newline(style, depth + 1), between: separator(style, depth + 1), trail: newline(style, depth) };
  const lead = old.toString('latin1', 1, first.start);
  const own = lead.includes('\n') ? `,${lead}` : style.indent === null ? style.comma : ', ';
  return {
    lead,
    between: second ? old.toString('latin1', first.end, second.start) : own,
    trail: old.toString('latin1', elements.at(-1)!.end, old.length - 1),
  };
}
