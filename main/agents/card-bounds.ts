/**
 * Cards within bounds: a timeline of thousands of calls is kept in memory, in a file and in windows, so none may carry a whole output. Text
 * keeps its end, where errors and results are; source keeps its beginning.
 */
import type { CallCard, CardCell } from '../../preload/agent-sessions.ts';
import type { CardArtifacts } from './card-artifacts.ts';

/** UTF-16 units. */
const SOURCE_LIMIT = 32 * 1024;
export const TEXT_LIMIT = 8 * 1024;
const DETAIL_LIMIT = 32 * 1024;
const SUMMARY_LIMIT = 2 * 1024;
const JSON_LIMIT = 16 * 1024;
/** Pieces of one card. */
const CELLS_LIMIT = 200;
const IMAGES_LIMIT = 20;
const EVENTS_LIMIT = 100;

export function boundedCard(card: CallCard): CallCard {
  switch (card.kind) {
    case 'notebook':
      return { ...card, summary: head(card.summary, SUMMARY_LIMIT), source: source(card.source), before: source(card.before) };
    case 'cells':
      return { ...card, summary: head(card.summary, SUMMARY_LIMIT), cells: card.cells.slice(0, CELLS_LIMIT).map(boundedCell) };
    case 'plain':
      return { ...card, summary: head(card.summary, SUMMARY_LIMIT), detail: card.detail === null ? null : head(card.detail, DETAIL_LIMIT) };
  }
}

function boundedCell(cell: CardCell): CardCell {
  return {
    ...cell,
    code: head(cell.code, SOURCE_LIMIT),
    text: tail(cell.text, TEXT_LIMIT),
    truncation: cell.truncation ?? (cell.text.length > TEXT_LIMIT ? sizeOf(cell.text) : null),
    images: cell.images.slice(0, IMAGES_LIMIT),
    json: withinUnits(cell.json, JSON_LIMIT),
    statusEvents: withinUnits(cell.statusEvents.slice(-EVENTS_LIMIT), JSON_LIMIT),
  };
}

/** Keeps the texts of which a card has the end alone, and says where they are. */
export async function withWholeTexts(cells: readonly CardCell[], artifacts: Pick<CardArtifacts, 'text'>): Promise<CardCell[]> {
  return Promise.all(
    cells.map(async (cell) => {
      if (cell.truncation !== null || cell.text.length <= TEXT_LIMIT) return cell;
      return { ...cell, truncation: { ...sizeOf(cell.text), artifactUrl: await artifacts.text(cell.text) } };
    }),
  );
}

/** Nobody has said that there is more than the card shows. */
function sizeOf(text: string): NonNullable<CardCell['truncation']> {
  const totalLines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { totalLines, totalBytes: Buffer.byteLength(text), artifactUrl: null };
}

function source(text: string | null): string | null {
  return text === null ? null : head(text, SOURCE_LIMIT);
}

export function head(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, whole(text, limit))}…`;
}

export function tail(text: string, limit: number): string {
  return text.length <= limit ? text : `…${text.slice(whole(text, text.length - limit))}`;
}

/** An offset that cuts no surrogate pair. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** The first values that fit together. */
function withinUnits<T>(values: readonly T[], limit: number): T[] {
  let room = limit;
  return values.filter((value) => {
    room -= JSON.stringify(value)?.length ?? 0;
    return room >= 0;
  });
}
