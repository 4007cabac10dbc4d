/**
 * How a notebook file is spelled, read off its first members. New text is written the same way, so a file indented by four spaces or kept on
 * one line stays that way.
 */
import type { JsonNode } from './json-spans.ts';
import { type FileStyle, USUAL_STYLE } from './json-text.ts';

/** `root` is the top-level object with its members. */
export function detectStyle(bytes: Buffer, root: JsonNode): FileStyle {
  const [first, second] = root.children ?? [];
  if (!first) return USUAL_STYLE;
  const lead = bytes.toString('latin1', root.start + 1, first.keyStart);
  const label = bytes.toString('latin1', first.keyStart, first.start);
  const colon = label.slice(label.lastIndexOf('"') + 1);
  const breaks = lead.includes('\n');
  return {
    indent: breaks ? lead.slice(lead.lastIndexOf('\n') + 1) : null,
    eol: lead.includes('\r\n') ? '\r\n' : '\n',
    colon,
    comma: !breaks && second ? bytes.toString('latin1', first.end, second.keyStart) : ',',
  };
}
