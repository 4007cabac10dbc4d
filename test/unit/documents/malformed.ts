/**
 * Damaged texts for tests: what cut-off writes, bad merges, wrong encodings and hand editing do to a file. Everything follows from the seed, so
 * a failure can be shown again.
 */

/** Numbers from 0 up to below `limit`, the same for the same seed. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return limit <= 0 ? 0 : state % limit;
  };
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'null',
  'NaN',
  '-',
  '0',
  '\n',
  '\t',
  '\u0000',
  '/*',
  "'",
  '\\u12',
  '\ufeff',
  'é',
  '<<<<<<< ours\n',
];

type Damage = (text: string, pick: (limit: number) => number) => string;

const DAMAGES: readonly Damage[] = [
  (text, pick) => text.slice(0, pick(text.length + 1)),
  (text, pick) => {
    const at = pick(text.length + 1);
    return text.slice(0, at) + TOKENS[pick(TOKENS.length)]! + text.slice(at);
  },
  (text, pick) => {
    const at = pick(text.length + 1);
    return text.slice(0, at) + text.slice(at + 1 + pick(4));
  },
  (text, pick) => {
    const [from, to] = [pick(text.length + 1), pick(text.length + 1)].sort((a, b) => a - b) as [number, number];
    return text.slice(0, to) + text.slice(from);
  },
  (text, pick) => {
    const at = pick(text.length);
    return text.slice(0, at) + String.fromCharCode(pick(128)) + text.slice(at + 1);
  },
  (text, pick) => text.slice(pick(text.length + 1)),
  (text) => text + text,
  (text, pick) => text.replaceAll(TOKENS[pick(6)]!, TOKENS[pick(TOKENS.length)]!),
];

/** The text with one kind of damage. */
export function mutate(text: string, kind: number, seed: number): string {
  return DAMAGES[kind % DAMAGES.length]!(text, randomNumbers(seed));
}
