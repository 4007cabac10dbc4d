/**
 * Single texts from a kernel, such as the lines of a traceback: control characters, lone surrogates and every escape sequence but colours and
 * safe links are taken out. Nothing is moved or overwritten: for streams there is the terminal.
 */
import { readEscape } from './escape-sequence.ts';
import { linkSequence } from './sgr.ts';

const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function cleanText(text: string): string {
  let clean = '';
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const stop = SPECIAL.exec(text)?.index ?? text.length;
    clean += text.slice(at, stop);
    if (stop === text.length) break;
    at = stop + 1;
    if (text[stop]! >= '\ud800') clean += '\ufffd';
    else if (text[stop] === '\x1b') {
      const sequence = readEscape(text, stop);
      // What is cut off by the end of the text has no rest to wait for.
      if (sequence.kind === 'incomplete') break;
      if (sequence.kind === 'sgr') clean += text.slice(stop, sequence.end);
      else if (sequence.kind === 'link') clean += linkSequence(sequence.target);
      at = sequence.end;
    }
  }
  return clean;
}
