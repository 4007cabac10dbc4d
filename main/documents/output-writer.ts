/**
 * Outputs to nbformat's text. Runs in slices because a cell may have printed a million lines, and reads spilled payloads back from their
 * artifact files, since a notebook must be whole without them.
 */
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { parseExact } from '../../preload/exact-json.ts';
import type { DataOutput, Omitted, Output, StreamOutput } from '../../preload/output-change.ts';
import type { RawPayload, SpilledPayload } from '../execution/run-protocol.ts';
import { type FileStyle, formatJson, newline, separator } from './json-text.ts';
import { LineWriter } from './line-writer.ts';
import { MEMBER_DEPTH } from './notebook-file.ts';
import type { NewValue } from './object-splice.ts';
import { pacer } from './pacing.ts';
import { storedText } from './stored-outputs.ts';

/** An element of `outputs`, its members, and what is in them, each one level deeper. */
const OUTPUT_DEPTH = MEMBER_DEPTH + 1;
const FIELD_DEPTH = OUTPUT_DEPTH + 1;

/** Types whose text nbformat stores as lines. Others (base64 images, for one) stay one string. */
const LINES = /^(text\/|application\/javascript$|image\/svg\+xml$)/;

/** Bytes read at once from an artifact; a multiple of three, so that the base64 of two reads can be joined. */
const READ_BYTES = 3 * 256 * 1024;

type Chunk = string | Buffer;

/** The text of a cell's `outputs`. `notes` collects sentences about what could not be written as it was. */
export async function outputsValue(outputs: readonly Output<RawPayload>[], style: FileStyle, notes: Set<string>): Promise<NewValue> {
  const chunks: Buffer[] = [];
  let pending = '';
  const breathe = pacer();
  const flush = (): void => {
    if (pending) chunks.push(Buffer.from(pending));
    pending = '';
  };
  for await (const chunk of arrayChunks(outputs, style, notes)) {
    if (typeof chunk !== 'string') flush();
    if (typeof chunk === 'string') pending += chunk;
    else chunks.push(chunk);
    if (pending.length > 500_000) flush();
    await breathe();
  }
  flush();
  return { text: Buffer.concat(chunks), count: outputs.length };
}

async function* arrayChunks(outputs: readonly Output<RawPayload>[], style: FileStyle, notes: Set<string>): AsyncGenerator<Chunk> {
  if (outputs.length === 0) {
    yield '[]';
    return;
  }
  yield `[${newline(style, OUTPUT_DEPTH)}`;
  for (const [index, output] of outputs.entries()) {
    if (index > 0) yield separator(style, OUTPUT_DEPTH);
    const stored = storedText(output);
    if (stored) yield stored.bytes.subarray(stored.start, stored.end);
    else yield* outputChunks(output, style, notes);
  }
  yield `${newline(style, MEMBER_DEPTH)}]`;
}

async function* outputChunks(output: Output<RawPayload>, style: FileStyle, notes: Set<string>): AsyncGenerator<Chunk> {
  const json = (value: unknown): string => formatJson(value, style, FIELD_DEPTH, () => notes.add(NON_FINITE_NOTE));
  const fields: [string, Iterable<Chunk> | AsyncIterable<Chunk>][] = [];
  switch (output.type) {
    case 'stream':
      fields.push(
        ['name', [json(output.name)]],
        ['output_type', ['"stream"']],
        ['text', lineChunks(streamText(output), style, FIELD_DEPTH)],
      );
      break;
    case 'error':
      fields.push(
        ['ename', [json(output.ename)]],
        ['evalue', [json(output.evalue)]],
        ['output_type', ['"error"']],
        ['traceback', [json(output.traceback)]],
      );
      break;
    default:
      fields.push(['data', bundleChunks(output, style, notes)]);
      if (output.type === 'execute_result') fields.push(['execution_count', [json(output.executionCount)]]);
      fields.push(['metadata', [json(output.metadata)]], ['output_type', [json(output.type)]]);
  }
  yield* objectChunks(fields, style, FIELD_DEPTH);
}

/** An object whose members' lines stand at `depth`. */
async function* objectChunks(
  fields: readonly [string, Iterable<Chunk> | AsyncIterable<Chunk>][],
  style: FileStyle,
  depth: number,
): AsyncGenerator<Chunk> {
  if (fields.length === 0) {
    yield '{}';
    return;
  }
  yield `{${newline(style, depth)}`;
  for (const [index, [key, value]] of fields.entries()) {
    if (index > 0) yield separator(style, depth);
    yield JSON.stringify(key) + style.colon;
    yield* value;
  }
  yield `${newline(style, depth - 1)}}`;
}

function bundleChunks(output: DataOutput<RawPayload>, style: FileStyle, notes: Set<string>): AsyncGenerator<Chunk> {
  const entries = Object.entries(output.data).sort(([a], [b]) => (a < b ? -1 : 1));
  return objectChunks(
    entries.map(([mime, payload]) => [mime, payloadChunks(mime, exactPayload(output, mime) ?? payload, style, notes)]),
    style,
    FIELD_DEPTH + 1,
  );
}

/** A payload with numbers that only a BigInt holds, as the kernel wrote them. */
function exactPayload(output: DataOutput<RawPayload>, mime: string): RawPayload {
  const text = output.exact?.[mime];
  return text === undefined ? undefined : parseExact(text);
}

const NON_FINITE_NOTE = 'NaN or infinity in an output was saved as null, since JSON has no such number.';

async function* payloadChunks(mime: string, payload: RawPayload, style: FileStyle, notes: Set<string>): AsyncGenerator<Chunk> {
  if (isSpilled(payload)) {
    yield* spilledChunks(mime, payload, style, notes);
  } else if (typeof payload === 'string' && LINES.test(mime)) {
    yield* lineChunks(payload, style, FIELD_DEPTH + 1);
  } else {
    yield formatJson(payload, style, FIELD_DEPTH + 1, () => notes.add(NON_FINITE_NOTE));
  }
}

/** Characters of text that are handed on together; one piece per line would cost more than the lines. */
const TEXT_BATCH = 100_000;

/** Text as an array of lines. */
function* lineChunks(text: string, style: FileStyle, depth: number): Generator<string> {
  const writer = new LineWriter(style, depth);
  for (let at = 0; at < text.length; at += TEXT_BATCH) yield writer.push(text.slice(at, at + TEXT_BATCH));
  yield writer.end();
}

/** The kept text; where a middle part was left out, a line in its place says so and names the artifact. */
function streamText(output: StreamOutput): string {
  const { text, omitted } = output;
  if (!omitted) return text;
  const head = text.slice(0, omitted.at);
  const gap = head === '' || head.endsWith('\n') ? '' : '\n';
  return `${head}${gap}${omittedLine(omitted)}\n${text.slice(omitted.at)}`;
}

function omittedLine({ lines, bytes, artifactId, failure }: Omitted): string {
  const where =
    artifactId === null ? `it was not kept elsewhere${failure ? ` (${failure})` : ''}` : `the whole output is artifact://${artifactId}`;
  return `[... ${lines.toLocaleString('en')} lines (${bytes.toLocaleString('en')} bytes) left out here; ${where} ...]`;
}

function isSpilled(payload: RawPayload): payload is SpilledPayload {
  return payload !== null && typeof payload === 'object' && typeof (payload as Partial<SpilledPayload>).$artifact === 'string';
}

async function* spilledChunks(mime: string, payload: SpilledPayload, style: FileStyle, notes: Set<string>): AsyncGenerator<Chunk> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(payload.file, 'r');
  } catch {
    notes.add(`A large ${mime} output could not be saved: its artifact://${payload.$artifact} is gone.`);
    yield JSON.stringify(
      `[${mime}, ${payload.bytes.toLocaleString('en')} bytes: its artifact://${payload.$artifact} was gone when the notebook was saved]`,
    );
    return;
  }
  try {
    const reads = readChunks(file);
    if (payload.encoding === 'json') yield* reads;
    else if (payload.encoding === 'utf8') yield* textChunks(mime, reads, style);
    else yield* base64Chunks(reads, payload.encoding === 'base64-lf');
  } finally {
    await file.close();
  }
}

async function* readChunks(file: Awaited<ReturnType<typeof open>>): AsyncGenerator<Buffer> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    let filled = 0;
    while (filled < READ_BYTES) {
      const { bytesRead } = await file.read(chunk, filled, READ_BYTES - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    if (filled > 0) yield chunk.subarray(0, filled);
    if (filled < READ_BYTES) return;
  }
}

async function* decoded(reads: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  for await (const chunk of reads) yield decoder.write(chunk);
  yield decoder.end();
}

/** Text from a file as lines or as one string, without ever holding it whole. */
async function* textChunks(mime: string, reads: AsyncIterable<Buffer>, style: FileStyle): AsyncGenerator<string> {
  if (LINES.test(mime)) {
    const writer = new LineWriter(style, FIELD_DEPTH + 1);
    for await (const text of decoded(reads)) yield writer.push(text);
    yield writer.end();
    return;
  }
  yield '"';
  for await (const text of decoded(reads)) yield JSON.stringify(text).slice(1, -1);
  yield '"';
}

/** Base64 as one JSON string; `lineFeed` ends it with the line feed that some programs put there. */
async function* base64Chunks(reads: AsyncIterable<Buffer>, lineFeed: boolean): AsyncGenerator<string> {
  yield '"';
  for await (const chunk of reads) yield chunk.toString('base64');
  yield lineFeed ? '\\n"' : '"';
}
