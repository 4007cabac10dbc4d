/**
 * The exact text of JSON payloads with whole numbers that a JavaScript number can't hold (ids, nanoseconds), beside the values that are decoded. The
 * values stay what everything else expects; whoever shows or saves them asks here. Floods of displays must not pay for it: what decides is a search
 * in the text, and only a message that has such a number is read a second time.
 */
import { exactJsonOf, markLarge } from '../../preload/exact-json.ts';

const DISPLAYS: ReadonlySet<string> = new Set(['display_data', 'execute_result', 'update_display_data']);

/** What ends every name of a JSON type: nothing but such payloads is read as JSON. */
const JSON_TYPE = 'json"';

/** Longer messages stay as they are decoded: no viewer shows that much. */
const MAX_LENGTH = 16_000_000;

/** A whole number of so many digits outside of strings, or what looks like one inside of them. */
const PERHAPS_LARGE = /[[:,\s]-?\d{16,}[\s,\]}]/;

const texts = new WeakMap<object, string>();

/** The exact JSON of a payload of a message; undefined when the value itself is exact. */
export function exactText(payload: unknown): string | undefined {
  return typeof payload === 'object' && payload !== null ? texts.get(payload) : undefined;
}

/** Reads the JSON payloads in `content` once more where that is needed. `json` is the content as the kernel wrote it. Throws nothing. */
export function keepExact(messageType: string, content: Record<string, unknown>, json: string): void {
  if (!DISPLAYS.has(messageType) || json.length > MAX_LENGTH || !json.includes(JSON_TYPE)) return;
  const marked = PERHAPS_LARGE.test(json) ? markLarge(json) : null;
  if (marked === null) return;
  const decoded = record(content.data);
  for (const [mime, payload] of Object.entries(record(record(parsed(marked)).data))) {
    const value = decoded[mime];
    const exact = typeof value === 'object' && value !== null ? exactJsonOf(payload) : null;
    if (exact !== null) texts.set(value as object, exact);
  }
}

/** Null for what only Python takes for JSON: a bare NaN would be lost on the way. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
