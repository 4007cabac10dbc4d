/**
 * Completion and inspection by the kernel. Positions are the one hard thing: the protocol counts Unicode characters and editors count UTF-16
 * units, which differ after every emoji (messaging protocol 5.2 and later).
 */

import { KernelDeadError, KernelTimeoutError } from '../kernels/errors.ts';
import { HostGoneError } from '../kernels/host/rpc.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { OutgoingMessage } from '../kernels/messages.ts';
import { cleanText } from './clean-text.ts';
import { record } from './message-content.ts';
import { withoutStyles } from './sgr.ts';

export interface Completions {
  matches: { text: string; type: string }[];
  /** UTF-16 range of the code that a match replaces. */
  start: number;
  end: number;
}

/** Help that comes later is of no use: the person has typed on. */
const COMPLETE_LIMIT_MS = 3_000;
const INSPECT_LIMIT_MS = 3_000;

export async function complete(kernel: Kernel, code: string, cursor: number): Promise<Completions> {
  const content = { code, cursor_pos: toCharacters(code, cursor) };
  const reply = await ask(kernel, { channel: 'shell', type: 'complete_request', content }, COMPLETE_LIMIT_MS);
  if (!reply || !Array.isArray(reply.matches)) return { matches: [], start: cursor, end: cursor };
  const texts = reply.matches.filter((match) => typeof match === 'string');
  return {
    matches: withTypes(texts, record(reply.metadata)._jupyter_types_experimental),
    start: toUnits(code, reply.cursor_start, cursor),
    end: toUnits(code, reply.cursor_end, cursor),
  };
}

/** Documentation of what is at the cursor as plain text, or null when the kernel has none. */
export async function inspect(kernel: Kernel, code: string, cursor: number): Promise<string | null> {
  const content = { code, cursor_pos: toCharacters(code, cursor), detail_level: 0 };
  const reply = await ask(kernel, { channel: 'shell', type: 'inspect_request', content }, INSPECT_LIMIT_MS);
  const text = reply?.found === true ? record(reply.data)['text/plain'] : null;
  return typeof text === 'string' ? withoutStyles(cleanText(text)) : null;
}

/** The reply, or null when the kernel can't answer: no help is not an error. */
async function ask(kernel: Kernel, message: OutgoingMessage, limitMs: number): Promise<Record<string, unknown> | null> {
  try {
    const reply = await kernel.request(message, limitMs);
    return reply.status === 'ok' ? reply : null;
  } catch (error) {
    if (error instanceof KernelTimeoutError || error instanceof KernelDeadError || error instanceof HostGoneError) return null;
    throw error;
  }
}

/** IPython tells the types beside the matches; other kernels don't. */
function withTypes(texts: readonly string[], typed: unknown): Completions['matches'] {
  const types = new Map<string, string>();
  for (const entry of Array.isArray(typed) ? typed : []) {
    const { text, type } = record(entry);
    if (typeof text === 'string' && typeof type === 'string' && type !== '<unknown>') types.set(text, type);
  }
  return texts.map((text) => ({ text, type: types.get(text) ?? '' }));
}

function toCharacters(code: string, units: number): number {
  return [...code.slice(0, units)].length;
}

function toUnits(code: string, characters: unknown, otherwise: number): number {
  if (typeof characters !== 'number') return otherwise;
  let units = 0;
  let left = characters;
  for (const character of code) {
    if (left-- <= 0) break;
    units += character.length;
  }
  return units;
}
