/**
 * What changed between two sources, line by line, for a person to review. Pure. The longest common subsequence of what lies between the
 * common beginning and end; two texts too long for that are shown as one block taken out and one put in, which is never wrong.
 */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Unchanged lines between two changes that are far apart: how many are left out. */
export interface DiffGap {
  kind: 'gap';
  lines: number;
}

export type DiffRow = DiffLine | DiffGap;

/** Lines before times lines after; more would be felt when a card is drawn. */
const MOST_PAIRS = 1_000_000;
/** Unchanged lines shown around a change. */
const CONTEXT = 2;

export function lineDiff(before: string, after: string): DiffLine[] {
  const old = splitLines(before);
  const next = splitLines(after);
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1;
  return [
    ...lines('same', old.slice(0, head)),
    ...middleDiff(old.slice(head, old.length - tail), next.slice(head, next.length - tail)),
    ...lines('same', old.slice(old.length - tail)),
  ];
}

/** An empty source has no line; a final line end begins no further one. How lines end is no part of them: other systems write CR LF. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const parts = text.split(/\r?\n/);
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

function middleDiff(old: readonly string[], next: readonly string[]): DiffLine[] {
  if (old.length * next.length > MOST_PAIRS || old.length === 0 || next.length === 0) {
    return [...lines('removed', old), ...lines('added', next)];
  }
  const width = next.length + 1;
  // common[i * width + j]: length of the longest common subsequence of what follows old[i] and next[j].
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      common[at] = old[i] === next[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const rows: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < next.length) {
    const at = i * width + j;
    if (old[i] === next[j]) {
      rows.push({ kind: 'same', text: old[i]! });
      i += 1;
      j += 1;
    } else if (common[at + width]! >= common[at + 1]!) {
      rows.push({ kind: 'removed', text: old[i]! });
      i += 1;
    } else {
      rows.push({ kind: 'added', text: next[j]! });
      j += 1;
    }
  }
  return [...rows, ...lines('removed', old.slice(i)), ...lines('added', next.slice(j))];
}

export function diffCounts(diff: readonly DiffLine[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { kind } of diff) {
    if (kind === 'added') added += 1;
    else if (kind === 'removed') removed += 1;
  }
  return { added, removed };
}

/** The changes with a little around them; longer stretches of unchanged lines become gaps. */
export function diffRows(diff: readonly DiffLine[]): DiffRow[] {
  const near = diff.map(({ kind }) => kind !== 'same');
  diff.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let at = Math.max(0, index - CONTEXT); at <= Math.min(diff.length - 1, index + CONTEXT); at += 1) near[at] = true;
  });
  const rows: DiffRow[] = [];
  diff.forEach((line, index) => {
    const last = rows.at(-1);
    if (near[index]) rows.push(line);
    else if (last?.kind === 'gap') last.lines += 1;
    else rows.push({ kind: 'gap', lines: 1 });
  });
  // A gap takes a row itself: one line left out saves nothing.
  return rows.flatMap((row) => (row.kind === 'gap' && row.lines === 1 ? [diff[indexOfGap(rows, row)]!] : [row]));
}

/** The place in the whole diff of a gap's first line. */
function indexOfGap(rows: readonly DiffRow[], gap: DiffGap): number {
  let at = 0;
  for (const row of rows) {
    if (row === gap) return at;
    at += row.kind === 'gap' ? row.lines : 1;
  }
  return at;
}
