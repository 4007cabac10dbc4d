/** All outputs of a cell as plain text, for the clipboard: what a person reads, without colours. Pure. */
import type { WindowOutput, WindowPayload } from '../../preload/contract.ts';
import { countWords } from './amounts.ts';
import { stripAnsi } from './ansi.ts';
import type { DisplayItem } from './display-items.ts';
import { displayItems } from './display-items.ts';
import { mimeWords, representations } from './mime-choice.ts';
import { movesCursor, settleText } from './terminal-text.ts';

export function outputText(outputs: readonly WindowOutput[]): string {
  const texts = displayItems(outputs).map((item) => itemText(item).replace(/\n$/, ''));
  return texts.filter((text) => text !== '').join('\n');
}

function itemText(item: DisplayItem): string {
  if (item.kind === 'stream') return streamText(item.text, item.gaps);
  const { output } = item;
  if (output.type === 'error') return errorText(output);
  return dataText(output.data);
}

function streamText(text: string, gaps: readonly { at: number; lines: number }[]): string {
  let whole = '';
  let from = 0;
  for (const gap of gaps) {
    whole += `${text.slice(from, gap.at)}[${countWords(gap.lines, 'line')} left out]\n`;
    from = gap.at;
  }
  whole += text.slice(from);
  return stripAnsi(movesCursor(whole) ? settleText(whole) : whole);
}

export function errorText(error: { ename: string; evalue: string; traceback: readonly string[] }): string {
  return error.traceback.length > 0 ? stripAnsi(error.traceback.join('\n')) : `${error.ename}: ${error.evalue}`;
}

/** The text that comes with the output; an image alone is named. */
function dataText(data: Record<string, WindowPayload>): string {
  const plain = data['text/plain'] ?? data['text/markdown'] ?? data['text/latex'];
  if (plain?.kind === 'inline') return stripAnsi(textOf(plain.value));
  const [best] = representations(Object.keys(data));
  const payload = best ? data[best.mime] : undefined;
  if (!best || !payload) return '';
  return payload.kind === 'inline' ? textOf(payload.value) : `[${mimeWords(best.mime)}]`;
}

/** Text that a file may hold as a list of lines; anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value.join('');
  return JSON.stringify(value, null, 2) ?? '';
}
