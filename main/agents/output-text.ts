/**
 * A cell's stored outputs as a model reads them: all types in order, without colours and control characters, large payloads named instead of
 * carried. Every line is marked as output: what code printed is data, and a line in it that looks like an instruction must still look like a
 * part of the output.
 */
import { parseWithDigits } from '../../preload/exact-json.ts';
import type { DataOutput, Output } from '../../preload/output-change.ts';
import { storedExactJson } from '../documents/stored-outputs.ts';
import { agentText, displayContent, type StatusEvent } from '../execution/agents/display-content.ts';
import type { RawPayload, SpilledPayload } from '../execution/run-protocol.ts';

/** An image of an output: base64 or an SVG's text, or the artifact that holds it. */
export interface StoredImage {
  /** Place of its output in the cell. */
  output: number;
  mime: string;
  payload: string | null;
  artifactId: string | null;
}

export interface OutputsText {
  text: string;
  images: StoredImage[];
  json: unknown[];
  /** MIME types and streams, in order, for an outline. */
  kinds: string[];
}

/** `address` gives the artifact's address by its id. */
export function outputsText(outputs: readonly Output<RawPayload>[], address: (id: string) => string): OutputsText {
  const parts: string[] = [];
  const images: StoredImage[] = [];
  const json: unknown[] = [];
  const kinds: string[] = [];
  outputs.forEach((output, index) => {
    if (output.type === 'stream') {
      kinds.push(output.name);
      parts.push(streamText(output, address));
    } else if (output.type === 'error') {
      kinds.push('error');
      parts.push(agentText(output.traceback.length > 0 ? output.traceback.join('\n') : `${output.ename}: ${output.evalue}`));
    } else {
      kinds.push(...Object.keys(output.data));
      const data = dataContent(output, index, address);
      parts.push(isJsonName(data.text) ? data.json.map(jsonText).join('\n') : data.text);
      images.push(...data.images);
      json.push(...data.json);
    }
  });
  const text = parts
    .filter((part) => part !== '')
    .map((part) => part.replace(/\n+$/, ''))
    .join('\n');
  return { text, images, json, kinds };
}

/** What is said where JSON stands without a text of its own, or with a name of Python's instead of one. */
function isJsonName(text: string): boolean {
  return text === '' || text === '<IPython.core.display.JSON object>';
}

function jsonText(value: unknown): string {
  return agentText(JSON.stringify(value, null, 1) ?? '');
}

/** Marked so that nothing in it can pass for words of this program or of the person. */
export function asOutput(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '| ');
}

function streamText(output: Extract<Output<RawPayload>, { type: 'stream' }>, address: (id: string) => string): string {
  const { text, omitted } = output;
  if (!omitted) return agentText(text);
  const where = omitted.artifactId === null ? 'it could not be kept' : `the whole text is ${address(omitted.artifactId)}`;
  return `${agentText(text.slice(0, omitted.at))}\n[… ${omitted.lines} lines left out; ${where} …]\n${agentText(text.slice(omitted.at))}`;
}

export interface DataContent {
  text: string;
  images: StoredImage[];
  json: unknown[];
  /** What a helper reported; such an output has no text. */
  status: StatusEvent | null;
}

/** What a MIME bundle gives; `output` is its place in the cell. */
export function dataContent(bundle: DataOutput<RawPayload>, output: number, address: (id: string) => string): DataContent {
  const data = withDigits(bundle);
  const spilled = Object.entries(data).filter((entry): entry is [string, SpilledPayload] => isSpilled(entry[1]));
  const whole = Object.fromEntries(Object.entries(data).filter(([, payload]) => !isSpilled(payload)));
  const content = displayContent(whole);
  const images: StoredImage[] = content.images.map(({ mime, payload }) => ({ output, mime, payload, artifactId: null }));
  const notes: string[] = [];
  for (const [mime, { $artifact, bytes }] of spilled) {
    if (mime.startsWith('image/')) images.push({ output, mime, payload: null, artifactId: $artifact });
    else notes.push(`[${mime}, ${bytes} bytes: ${address($artifact)}]`);
  }
  const text = [content.text ?? '', ...notes].filter((part) => part !== '').join('\n');
  return { text, images, json: content.json, status: content.status };
}

/** Its JSON with the digits of the kernel or of the file, as text where a number can't hold them. */
function withDigits(bundle: DataOutput<RawPayload>): Record<string, RawPayload> {
  const { data, exact } = bundle;
  const text = JSON_TYPE in data ? (exact?.[JSON_TYPE] ?? storedExactJson(bundle, JSON_TYPE)) : null;
  return text === null ? data : { ...data, [JSON_TYPE]: parseWithDigits(text) };
}

const JSON_TYPE = 'application/json';

function isSpilled(payload: RawPayload): payload is SpilledPayload {
  return typeof payload === 'object' && payload !== null && typeof (payload as Partial<SpilledPayload>).$artifact === 'string';
}

export interface TextPage {
  text: string;
  /** UTF-16 offset of what comes after the page; null at the end. */
  next: number | null;
  total: number;
}

/** A page of a long text, cut at the end of a line where there is one. */
export function textPage(text: string, offset: number, limit: number): TextPage {
  const from = Math.min(Math.max(0, offset), text.length);
  if (text.length - from <= limit) return { text: text.slice(from), next: null, total: text.length };
  let end = from + limit;
  const line = text.lastIndexOf('\n', end - 1);
  if (line >= from + limit / 2) end = line + 1;
  else if (isLowSurrogate(text, end)) end -= 1;
  return { text: text.slice(from, end), next: end, total: text.length };
}

/** The end of a text, with a word on what was left out; `where` says how to read the rest. */
export function textTail(text: string, limit: number, where: string): { text: string; truncated: boolean } {
  if (text.length <= limit) return { text, truncated: false };
  let from = text.length - limit;
  const line = text.indexOf('\n', from);
  if (line !== -1 && line < from + limit / 2) from = line + 1;
  else if (isLowSurrogate(text, from)) from += 1;
  return {
    text: `[Output truncated: the last ${text.length - from} of ${text.length} characters. ${where}]\n${text.slice(from)}`,
    truncated: true,
  };
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
