/**
 * Web addresses in plain text. The hard thing is where one ends: a full stop or a bracket after it belongs to the sentence, one inside
 * it to the address. Pure.
 */

export interface TextPart {
  text: string;
  /** Set when this part is a web address. */
  href: string | null;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u2028\u2029\x00-\x1f]{1,2000}/gi;
const CLOSERS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

export function splitLinks(text: string): TextPart[] {
  if (!text.includes('://')) return [{ text, href: null }];
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimAddress(match[0]);
    if (!URL.canParse(address)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index), href: null });
    parts.push({ text: address, href: address });
    at = match.index + address.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), href: null });
  return parts;
}

function trimAddress(address: string): string {
  let end = address.length;
  for (;;) {
    const last = address[end - 1]!;
    const opener = CLOSERS[last];
    const isPunctuation = /[.,;:!?*_~'"]/.test(last);
    const isUnmatched = opener !== undefined && count(address, last, end) > count(address, opener, end);
    if (!isPunctuation && !isUnmatched) return address.slice(0, end);
    end -= 1;
  }
}

function count(text: string, character: string, end: number): number {
  let total = 0;
  for (let at = 0; at < end; at += 1) if (text[at] === character) total += 1;
  return total;
}
