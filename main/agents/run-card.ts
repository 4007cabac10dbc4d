/**
 * The card of a run of notebook cells, made anew with every change: so what an output gives is worked out once for each output, and of a long
 * stream only the end is looked at. Images are kept when their cell is over; an animation would leave a file for each of its frames.
 */
import type { CallCard, CardCell, CardImage, CardStatus } from '../../preload/agent-sessions.ts';
import type { Output, StreamOutput } from '../../preload/output-change.ts';
import { agentText } from '../execution/agents/display-content.ts';
import type { RawPayload } from '../execution/run-protocol.ts';
import { CardArtifacts } from './card-artifacts.ts';
import { TEXT_LIMIT } from './card-bounds.ts';
import type { Reached } from './notebook-access.ts';
import { cellsOf } from './notebook-run-answer.ts';
import type { NotebookRun } from './notebook-runs.ts';
import { type DataContent, dataContent, type StoredImage } from './output-text.ts';
import type { ToolContext } from './tool.ts';

type StoredOutput = Output<RawPayload>;
type CardParts = Pick<CardCell, 'text' | 'truncation' | 'json' | 'statusEvents'> & { images: StoredImage[] };

interface TextPart {
  /** Its end; all of it where `whole`. */
  text: string;
  whole: boolean;
  lines: number;
  bytes: number;
  artifactId: string | null;
}

/** Images of a run by their output; an output without an entry has none that is kept yet. */
type KeptImages = WeakMap<StoredOutput, readonly CardImage[]>;

/** For all calls that show the run: the one that began it and those that wait for it. */
const keptOf = new WeakMap<NotebookRun, { artifacts: CardArtifacts; images: KeptImages }>();
const contents = new WeakMap<StoredOutput, DataContent>();

export function runCard(run: NotebookRun, reached: Reached, cwd: string): CallCard {
  const images = keptOf.get(run)?.images;
  const cells = cellsOf(run, reached).map(({ cell, source, outputs }): CardCell => {
    const { text, truncation, json, statusEvents } = cardParts(outputs, reached.address);
    return {
      title: cell.index === null ? 'deleted cell' : `Cell ${cell.index}`,
      code: source,
      status: CARD_STATUS[cell.status],
      text,
      truncation,
      durationMs: cell.durationMs,
      executionCount: cell.executionCount,
      images: outputs.flatMap((output) => images?.get(output) ?? []),
      json,
      statusEvents,
    };
  });
  const done = cells.filter(({ status }) => status === 'complete').length;
  const summary = done === cells.length ? '' : `${done} of ${cells.length} done`;
  return { kind: 'cells', path: reached.shownPath, cwd, cells, summary };
}

/** Keeps the images of cells that are over. True when there are new ones to be shown. */
export async function keepRunImages(run: NotebookRun, reached: Reached, { agent, artifactFolder }: ToolContext): Promise<boolean> {
  const cells = run.keys.map((key) => run.record.of(key, reached.notebook));
  const over = cells.filter(({ status }) => run.endedAt !== null || status === 'done' || status === 'failed');
  const kept = keptOf.get(run) ?? { artifacts: new CardArtifacts(agent.id, artifactFolder), images: new WeakMap() };
  keptOf.set(run, kept);
  const fresh = over.flatMap(({ outputs }) => outputs).filter((output) => isData(output) && !kept.images.has(output));
  const shown = await Promise.all(
    fresh.map(async (output) => {
      const { images } = contentOf(output, reached.address);
      const addresses = await Promise.all(images.map((image) => addressOf(image, kept.artifacts, reached.address)));
      kept.images.set(
        output,
        images.flatMap(({ mime }, index) => (addresses[index] ? [{ url: addresses[index], mime }] : [])),
      );
      return images.length > 0;
    }),
  );
  return shown.includes(true);
}

async function addressOf(
  { mime, payload, artifactId }: StoredImage,
  artifacts: CardArtifacts,
  address: (id: string) => string,
): Promise<string | null> {
  if (artifactId !== null) return address(artifactId);
  return payload === null ? null : artifacts.image(mime, payload);
}

/** What a card shows of a cell's outputs beside kept images: the end of the text, and all data. */
export function cardParts(outputs: readonly StoredOutput[], address: (id: string) => string): CardParts {
  const parts = outputs.map((output) => textPart(output, address)).filter(({ bytes }) => bytes > 0);
  const data = outputs.filter(isData).map((output) => contentOf(output, address));
  const { text, isCut } = endOf(parts);
  const whole =
    parts.length === 1 ? (parts[0]?.artifactId ?? null) : (parts.findLast(({ artifactId }) => artifactId !== null)?.artifactId ?? null);
  return {
    text,
    truncation: isCut
      ? {
          totalLines: parts.reduce((sum, { lines }) => sum + lines, 0),
          totalBytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
          artifactUrl: whole === null ? null : address(whole),
        }
      : null,
    json: data.flatMap(({ json }) => json),
    statusEvents: data.flatMap(({ status }): CardStatus[] => (status ? [status] : [])),
    images: data.flatMap(({ images }) => images),
  };
}

/** The last parts that a card has room for. */
function endOf(parts: readonly TextPart[]): { text: string; isCut: boolean } {
  let text = '';
  for (const part of [...parts].reverse()) {
    const before = part.text === '' || part.text.endsWith('\n') || text === '' ? part.text : `${part.text}\n`;
    text = before + text;
    if (text.length > TEXT_LIMIT || !part.whole) return { text, isCut: true };
  }
  return { text, isCut: false };
}

function textPart(output: StoredOutput, address: (id: string) => string): TextPart {
  if (output.type === 'stream') return streamPart(output);
  const text = output.type === 'error' ? errorText(output) : contentOf(output, address).text;
  return { text, whole: true, lines: lineCount(text), bytes: Buffer.byteLength(text), artifactId: null };
}

function streamPart({ text, omitted }: StreamOutput): TextPart {
  const lines = lineCount(text) + (omitted?.lines ?? 0);
  const bytes = Buffer.byteLength(text) + (omitted?.bytes ?? 0);
  const from = Math.max(tailStart(text), omitted?.at ?? 0);
  return { text: agentText(text.slice(from)), whole: from === 0 && !omitted, lines, bytes, artifactId: omitted?.artifactId ?? null };
}

/** Where the end of a stream that a card can show begins: at a line's start, so that no escape sequence is cut. */
function tailStart(text: string): number {
  // Colours that are taken out make it shorter.
  const least = text.length - 2 * TEXT_LIMIT;
  return least <= 0 ? 0 : text.indexOf('\n', least) + 1 || least;
}

function errorText({ ename, evalue, traceback }: Extract<StoredOutput, { type: 'error' }>): string {
  return agentText(traceback.length > 0 ? traceback.join('\n') : `${ename}: ${evalue}`);
}

function contentOf(output: StoredOutput, address: (id: string) => string): DataContent {
  const known = contents.get(output);
  if (known) return known;
  const content = isData(output) ? dataContent(output, 0, address) : { text: '', images: [], json: [], status: null };
  contents.set(output, content);
  return content;
}

function isData(output: StoredOutput): output is Extract<StoredOutput, { data: unknown }> {
  return output.type !== 'stream' && output.type !== 'error';
}

function lineCount(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

const CARD_STATUS = {
  running: 'running',
  done: 'complete',
  skipped: 'complete',
  failed: 'error',
  queued: 'pending',
  'not-run': 'pending',
  deleted: 'pending',
} as const;
