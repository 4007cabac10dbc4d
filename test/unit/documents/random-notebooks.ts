/**
 * Random notebooks and random spellings of them: indents, line ends, separators, escapes, key order, number spellings, byte order marks. The
 * spelled text always means the same as the value it was made from.
 */
import fc from 'fast-check';

/** A number spelled in a way that JSON.stringify never writes. */
const ODD_NUMBERS = ['1.0', '1e-07', '9007199254740993', '-0.0', '1E5', '0.10', '123456789012345678901234567890'];

interface OddNumber {
  odd: string;
}

const word = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '=', '"', '\\', 'é', '😀', '\t', '\u2028', '\f', '\r', '\u0085', '\u001b', '#'),
  maxLength: 12,
});
export const source = fc.array(word, { maxLength: 5 }).map((lines) => lines.join('\n'));
const oddNumber = fc.constantFrom(...ODD_NUMBERS).map((odd): OddNumber => ({ odd }));
const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), oddNumber);
const metadata = fc.dictionary(
  fc.constantFrom('tags', 'name', 'z', 'a', '10', '2', 'collapsed', 'é'),
  fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(word, leaf, { maxKeys: 2 })),
  {
    maxKeys: 3,
  },
);

const stream = fc.record({
  name: fc.constantFrom('stdout', 'stderr'),
  output_type: fc.constant('stream'),
  text: fc.oneof(source, fc.array(word)),
});
const bundle = fc.record({
  data: fc.dictionary(fc.constantFrom('text/plain', 'text/html', 'image/png', 'application/json'), fc.oneof(word, fc.array(word)), {
    maxKeys: 2,
  }),
  metadata,
  output_type: fc.constant('display_data'),
});
const result = fc.record({
  data: fc.constant({ 'text/plain': ['1'] }),
  execution_count: fc.nat(),
  metadata,
  output_type: fc.constant('execute_result'),
});
const failure = fc.record({ ename: word, evalue: word, output_type: fc.constant('error'), traceback: fc.array(word) });
const strange = fc.record({ output_type: fc.constant('future'), what: leaf });
const output = fc.oneof(stream, bundle, result, failure, strange);

/** A source as files have it: one string, lines as nbformat splits them, or any other division. */
const storedSource = fc.oneof(
  source,
  source.map((text) => text.split(/(?<=\n)/)),
  source.map((text) => text.split(/(?<=[\n\f\u2028])/)),
);

export interface RandomCell {
  [key: string]: unknown;
  cell_type: string;
}

const codeCell = fc.record({
  cell_type: fc.constant('code'),
  execution_count: fc.option(fc.nat()),
  metadata,
  outputs: fc.array(output, { maxLength: 3 }),
  source: storedSource,
});
const textCell = fc.record({ cell_type: fc.constantFrom('markdown', 'raw'), metadata, source: storedSource });

export interface RandomNotebook {
  [key: string]: unknown;
  cells: RandomCell[];
  nbformat_minor: number;
}

/** Notebooks of any 4.x minor, with ids from 4.5 on, and fields that nobody knows. */
export const notebook: fc.Arbitrary<RandomNotebook> = fc
  .record({
    cells: fc.array(fc.tuple(fc.oneof(codeCell, textCell), fc.boolean()), { maxLength: 6 }),
    metadata,
    nbformat_minor: fc.integer({ min: 0, max: 5 }),
    unknown: fc.boolean(),
  })
  .map(({ cells, metadata, nbformat_minor, unknown }) => ({
    cells: cells.map(([cell, extra], index) => ({
      ...cell,
      ...(nbformat_minor >= 5 ? { id: `cell-${index}` } : {}),
      ...(extra ? { unknown_field: { odd: '1.50' } } : {}),
    })),
    metadata,
    nbformat: 4,
    nbformat_minor,
    ...(unknown ? { later: [{ odd: '2.0' }] } : {}),
  }));

export interface Spelling {
  indent: string | null;
  eol: '\n' | '\r\n';
  colon: string;
  comma: string;
  ascii: boolean;
  /** Rotates the order of the keys in every object. */
  rotate: number;
  end: string;
  mark: boolean;
}

export const spelling: fc.Arbitrary<Spelling> = fc.record({
  indent: fc.constantFrom(' ', '  ', '    ', '\t', '', null),
  eol: fc.constantFrom('\n' as const, '\r\n' as const),
  colon: fc.constantFrom(': ', ':', ' : '),
  comma: fc.constantFrom(', ', ',', ' , '),
  ascii: fc.boolean(),
  rotate: fc.nat({ max: 5 }),
  end: fc.constantFrom('\n', '', '\n\n', ' \r\n'),
  mark: fc.boolean(),
});

/** The text of a value; `mark` puts a byte order mark before it. */
export function spell(value: unknown, style: Spelling): Buffer {
  return Buffer.from((style.mark ? '\ufeff' : '') + spelled(value, style, 0) + style.end);
}

function spelled(value: unknown, style: Spelling, depth: number): string {
  if (isOdd(value)) return value.odd;
  if (value === null || typeof value !== 'object') return text(value, style);
  const line = (level: number): string => (style.indent === null ? '' : style.eol + style.indent.repeat(level));
  const entries: [string | null, unknown][] = Array.isArray(value)
    ? value.map((item) => [null, item])
    : rotated(Object.entries(value), style.rotate);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const parts = entries.map(([key, item]) => (key === null ? '' : text(key, style) + style.colon) + spelled(item, style, depth + 1));
  return open + line(depth + 1) + parts.join(style.indent === null ? style.comma : `,${line(depth + 1)}`) + line(depth) + close;
}

function text(value: unknown, style: Spelling): string {
  const plain = JSON.stringify(value);
  return style.ascii ? plain.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : plain;
}

function rotated<Item>(items: Item[], by: number): Item[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function isOdd(value: unknown): value is OddNumber {
  return value !== null && typeof value === 'object' && typeof (value as Partial<OddNumber>).odd === 'string';
}

/** What a reader gets from the text. */
export function meaning(bytes: Buffer): RandomNotebook {
  return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) as RandomNotebook;
}

/** Sources and texts joined: the division into lines is spelling, not meaning. */
export function joinedSource(cell: RandomCell): string {
  return Array.isArray(cell.source) ? cell.source.join('') : (cell.source as string);
}
