/**
 * Outputs as a file stores them, decoded for showing. Each decoded output remembers the text it came from, so that when a cell's outputs are
 * written again those that did not change are written as they were, whatever they hold.
 */
import { type DataOutput, type Output, streamName } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { scanAtOnce } from './json-spans.ts';
import { decodeJson } from './json-text.ts';
import type { Slice } from './notebook-file.ts';
import { multilineText } from './source-lines.ts';

/** The `outputs` array of a cell in the file's text. */
export interface StoredOutputs extends Slice {
  count: number;
}

const textOf = new WeakMap<object, Slice>();

/** The file's text of an output that was decoded from it and not changed since. */
export function storedText(output: Output<RawPayload>): Slice | undefined {
  return textOf.get(output);
}

/** Throws nothing for text that the scanner accepted, however odd the outputs are. */
export function decodeOutputs(stored: StoredOutputs): Output<RawPayload>[] {
  if (stored.count === 0) return [];
  const { root } = scanAtOnce(stored.bytes, { start: stored.start, end: stored.end, keepDepth: 1 });
  return (root.children ?? []).map((element) => {
    const output = toOutput(decodeJson(stored.bytes, element.start, element.end));
    textOf.set(output, { bytes: stored.bytes, start: element.start, end: element.end });
    return output;
  });
}

/** A whole number of so many digits may be larger than a JavaScript number can hold. */
const LARGE_NUMBER = /\d{16}/;

/** Longer outputs stay as they are decoded: no viewer shows that much. */
const MAX_EXACT_BYTES = 32_000_000;

/** The file's own text of an output's JSON, when it has a number that decoding may have changed; else null. */
export function storedExactJson(output: Output<RawPayload>, mime: string): string | null {
  const stored = textOf.get(output);
  if (!stored || stored.end - stored.start > MAX_EXACT_BYTES) return null;
  const { bytes, start, end } = stored;
  if (!LARGE_NUMBER.test(bytes.toString('latin1', start, end))) return null;
  const { root } = scanAtOnce(bytes, { start, end, keepDepth: 2 });
  const data = root.children?.findLast((member) => member.key === 'data');
  const payload = data?.children?.findLast((member) => member.key === mime);
  if (!payload) return null;
  const text = bytes.toString('utf8', payload.start, payload.end);
  return LARGE_NUMBER.test(text) ? text : null;
}

type Fields = Record<string, unknown>;

function toOutput(value: unknown): Output<RawPayload> {
  if (!isObject(value)) return unknownOutput('value that is no object');
  switch (value.output_type) {
    case 'stream':
      return { type: 'stream', name: streamName(value.name), text: multilineText(value.text) ?? '' };
    case 'display_data':
    case 'execute_result':
      return dataOutput(value.output_type, value);
    case 'error':
      return {
        type: 'error',
        ename: typeof value.ename === 'string' ? value.ename : '',
        evalue: typeof value.evalue === 'string' ? value.evalue : '',
        traceback: Array.isArray(value.traceback) ? value.traceback.filter((line) => typeof line === 'string') : [],
      };
    default:
      return unknownOutput(`type ${JSON.stringify(value.output_type) ?? 'none'}`);
  }
}

/** A bundle's texts are joined; JSON types are values and stay what they are. */
function dataOutput(type: DataOutput<RawPayload>['type'], value: Fields): DataOutput<RawPayload> {
  const data: Record<string, RawPayload> = {};
  for (const [mime, payload] of Object.entries(isObject(value.data) ? value.data : {})) {
    data[mime] = isJsonMime(mime) ? payload : (multilineText(payload) ?? payload);
  }
  return {
    type,
    data,
    metadata: isObject(value.metadata) ? value.metadata : {},
    executionCount: typeof value.execution_count === 'number' ? value.execution_count : null,
  };
}

function unknownOutput(what: string): DataOutput<RawPayload> {
  return {
    type: 'display_data',
    data: { 'text/plain': `[an output of ${what}, kept in the file as it is]` },
    metadata: {},
    executionCount: null,
  };
}

/** MIME types whose payload is a JSON value and never text in lines. */
export function isJsonMime(mime: string): boolean {
  return mime === 'application/json' || (mime.startsWith('application/') && mime.endsWith('+json'));
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
