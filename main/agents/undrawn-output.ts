/**
 * Outputs where there is no window to draw them: what they say as text, in order, and which of them only a window can show. Pure. The text is
 * for a model that asked to see something, so it must not pass for a picture: the sentences around it say what it is and how to get one.
 */
import type { Output } from '../../preload/output-change.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { shellLine } from './client-configurations.ts';
import { asOutput, outputsText, type StoredImage, textTail } from './output-text.ts';

/** UTF-16 units: enough to judge by; notebook_read has the rest. */
const TEXT_LIMIT = 6_000;

export interface UndrawnOutputs {
  /** Marked as output; empty when the outputs have no text. */
  text: string;
  truncated: boolean;
  /** Those that can be shown without being drawn. */
  images: StoredImage[];
  /** Types of the outputs that have neither. */
  drawnOnly: string[];
}

/** `where` says how to read what was cut. */
export function undrawn(outputs: readonly Output<RawPayload>[], address: (id: string) => string, where: string): UndrawnOutputs {
  const images: StoredImage[] = [];
  const drawnOnly: string[] = [];
  const texts = outputs.map((output, index) => {
    const said = outputsText([output], address);
    const shown = said.images.filter(({ mime }) => mime !== 'image/svg+xml');
    images.push(...shown.map((image) => ({ ...image, output: index })));
    const { text } = said;
    if (text === '' && shown.length === 0 && 'data' in output) drawnOnly.push(Object.keys(output.data).join(' ') || 'empty');
    return text;
  });
  const { text, truncated } = textTail(texts.filter((part) => part !== '').join('\n'), TEXT_LIMIT, where);
  return { text: asOutput(text), truncated, images, drawnOnly };
}

/** What the person does so that a picture can be made. */
export function howToDraw(notebookPath: string): string {
  const command = shellLine({ command: 'cellwright', args: [notebookPath] });
  return `To see it drawn, ask the person to open Cellwright’s window (in a terminal: ${command}) and call again: this session joins it by itself.`;
}
