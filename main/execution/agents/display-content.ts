/**
 * What an agent gets of a MIME bundle (SPEC section 5): one text by priority, and beside it JSON, images and status events. Pure. The content
 * comes from the kernel and may be of any type.
 */
import { parseWithDigits } from '../../../preload/exact-json.ts';
import { exactText } from '../../kernels/exact-json.ts';
import { cleanText } from '../clean-text.ts';
import { record } from '../message-content.ts';
import { withoutStyles } from '../sgr.ts';
import { htmlToText } from './html-text.ts';

/** What a helper of the prelude reports; also what this program tells of the session itself. */
export type StatusEvent = { op: string } & Record<string, unknown>;

export interface DisplayContent {
  /** Null when there is none to show. */
  text: string | null;
  json: unknown[];
  /** `payload` is base64, or the text of an SVG. */
  images: { mime: string; payload: string }[];
  status: StatusEvent | null;
}

export const STATUS_MIME = 'application/x-xcsh-status';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'];

/** `data` of display_data, execute_result or update_display_data. */
export function displayContent(data: Readonly<Record<string, unknown>>): DisplayContent {
  if (STATUS_MIME in data) return { text: null, json: [], images: [], status: statusOf(data[STATUS_MIME]) };
  return {
    text: textOf(data),
    json: 'application/json' in data ? [withDigits(data['application/json'])] : [],
    images: IMAGES.flatMap((mime) => {
      const payload = joined(data[mime]);
      return payload === null ? [] : [{ mime, payload }];
    }),
    status: null,
  };
}

/** Whole numbers that a JavaScript number can't hold as text: other digits than the kernel sent would be wrong in every reader. */
function withDigits(payload: unknown): unknown {
  const exact = exactText(payload);
  return exact === undefined ? payload : parseWithDigits(exact);
}

/** Text for an agent: no colours, no control characters, no lone surrogates. */
export function agentText(text: string): string {
  return withoutStyles(cleanText(text));
}

function textOf(data: Readonly<Record<string, unknown>>): string | null {
  const text = joined(data['text/markdown']) ?? joined(data['text/plain']);
  if (text !== null) return agentText(text);
  const html = joined(data['text/html']);
  return html === null ? null : agentText(htmlToText(html)) || null;
}

/** A text, or the lines of one; an empty one counts as none. */
function joined(value: unknown): string | null {
  const text = Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : value;
  return typeof text === 'string' && text !== '' ? text : null;
}

function statusOf(value: unknown): StatusEvent {
  const { op, ...rest } = record(value);
  return { op: typeof op === 'string' ? op : 'unknown', ...rest };
}
