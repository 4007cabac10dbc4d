/**
 * A file with git's conflict markers as the two (or, in the diff3 style, three) files it was made from. Markers stand at the start of a line,
 * where no line of a JSON file can have them.
 */

export interface ConflictSides {
  ours: string;
  theirs: string;
  /** Null when the markers don't say what both sides came from. */
  base: string | null;
  /** What git calls the sides, e.g. `HEAD` and a branch. */
  names: { ours: string; theirs: string };
  /** Line (from 1) of the first marker. */
  firstLine: number;
  count: number;
}

type Side = 'ours' | 'base' | 'theirs';

/** Null when the text has no markers. */
export function conflictSides(text: string): ConflictSides | null {
  const parts: { [S in Side]: string[] } = { ours: [], base: [], theirs: [] };
  const names = { ours: '', theirs: '' };
  let inside: Side | null = null;
  let hasBase = false;
  let count = 0;
  let firstLine = 0;
  text.split(/(?<=\n)/).forEach((line, index) => {
    const [, marker, name = ''] = /^(<{7}|\|{7}|={7}|>{7})(?: (.*?))?\r?\n?$/.exec(line) ?? [];
    if (marker?.startsWith('<')) {
      inside = 'ours';
      count += 1;
      names.ours ||= name;
    } else if (marker?.startsWith('|') && inside === 'ours') {
      inside = 'base';
      hasBase = true;
    } else if (marker?.startsWith('=') && inside !== null) inside = 'theirs';
    else if (marker?.startsWith('>')) {
      // A closing marker alone belongs to a conflict whose other markers somebody has taken out already.
      inside = null;
      names.theirs ||= name;
    } else {
      if (marker) return;
      for (const side of inside ? [inside] : (['ours', 'base', 'theirs'] as const)) parts[side].push(line);
      return;
    }
    firstLine ||= index + 1;
  });
  if (firstLine === 0) return null;
  const joined = (side: Side): string => parts[side].join('');
  return { ours: joined('ours'), theirs: joined('theirs'), base: hasBase ? joined('base') : null, names, firstLine, count };
}
