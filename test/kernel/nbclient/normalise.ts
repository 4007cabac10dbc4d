/**
 * When two outputs count as equal: the rules by which nbclient compares its own notebooks with what it gets (BSD-3-Clause, see the licence beside
 * the notebooks), in our own words. Addresses, model ids, the ways to write base64 and XML, and colours are not compared, nor what versions of
 * IPython write differently in a traceback: how a frame's heading names the cell, and how many lines around the failing one are shown.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export interface FileOutput {
  output_type: string;
  [key: string]: Json;
}

const ADDRESS = /0x[0-9a-f]{7,9}/g;
const ANSI = /\x1b\[[0-9;]*m/g;

export function normalised(output: FileOutput): FileOutput {
  const { metadata: _metadata, ...rest } = output;
  const result: FileOutput = { ...rest };
  if (result.text !== undefined) result.text = joined(result.text).replace(ADDRESS, '<ADDRESS>');
  if (result.traceback !== undefined) result.traceback = traceback((result.traceback as string[]).join('\n'));
  if (typeof result.data === 'object' && result.data !== null)
    result.data = Object.fromEntries(Object.entries(result.data).map(([mime, payload]) => [mime, payloadOf(mime, payload)]));
  return result;
}

/** The rule, the name, the failing line of each frame without its blanks, and the message. */
function traceback(text: string): Json {
  const lines = text.replace(ANSI, '').split('\n');
  const failing = lines.filter((line) => /^-+> \d/.test(line)).map((line) => line.replace(/^-+> (\d+)/, '> $1').replace(/\s/g, ''));
  return [...lines.slice(0, 2), ...failing, lines[lines.length - 1]!];
}

function payloadOf(mime: string, payload: Json): Json {
  if (mime === 'application/vnd.jupyter.widget-view+json') return { ...(payload as Record<string, Json>), model_id: '<MODEL>' };
  if (mime.endsWith('json')) return payload;
  const text = joined(payload);
  if (mime === 'image/svg+xml') return xml(text);
  if (mime === 'text/plain') return text.replace(ADDRESS, '<ADDRESS>');
  const bytes = Buffer.from(text, 'base64').toString('base64');
  return bytes === text.replace(/\s/g, '') ? bytes : text;
}

function joined(value: Json): string {
  return Array.isArray(value) ? value.join('') : String(value);
}

/** Elements with their attributes in order of name, and text without the blanks between. */
function xml(text: string): Json {
  return [...text.matchAll(/<([\w/]+)([^>]*?)(\/?)>|([^<]+)/g)].flatMap(([, element, attributes = '', closed = '', words = '']): Json[] => {
    if (element === undefined) return words.trim() === '' ? [] : [words.trim()];
    const pairs = [...attributes.matchAll(/([\w:-]+)\s*=\s*"([^"]*)"/g)].map(([, name = '', value = '']) => `${name}=${value}`);
    return [[element, ...pairs.sort(), ...(closed ? [`/${element}`] : [])].join(' ')];
  });
}
