/**
 * A changed cell's new text. Works on a draft, which is a copy of everything that is to be written, because writing outputs takes a while and
 * the person goes on typing meanwhile.
 */
import type { CellType } from '../../preload/notebook-model.ts';
import type { CellBase, CellOutputs, CellRecord } from './cell-record.ts';
import type { FileStyle } from './json-text.ts';
import { changeCell } from './notebook-file.ts';
import { findMember, type NewValue, type ObjectText } from './object-splice.ts';
import { outputsValue } from './output-writer.ts';
import { type CellChanges, EMPTY_ARRAY, metadataValue, NULL_VALUE, newCell, sourceValue, typeChanges } from './raw-cell.ts';
import { restoreLineEnds, withLineFeeds } from './source-lines.ts';

/** A cell's values at the moment of saving. */
export interface CellDraft {
  key: string;
  base: CellBase | null;
  original: CellBase | null;
  type: CellType;
  text: string;
  spelling: CellRecord['spelling'];
  /** Null where the file's version has no ids. */
  id: string | null;
  metadata: ReadonlyMap<string, unknown>;
  outputs: CellOutputs;
  executionCount: number | null;
  attachments: CellRecord['attachments'];
}

/** The base that the file has for the cell once the draft is written. */
export async function writeCell(draft: CellDraft, style: FileStyle, notes: Set<string>): Promise<CellBase> {
  if (isOriginal(draft, style)) return draft.original!;
  const nonFinite = (): void => void notes.add('NaN or infinity in metadata was saved as null, since JSON has no such number.');
  const source = fileSourceOf(draft);
  const start = draft.base?.raw ?? newCell({ ...draft, source }, style, nonFinite);
  const changes = draft.base ? modelChanges(draft, draft.base, source, style, nonFinite) : new Map<string, NewValue | null>();
  await addOutputChanges(draft, start, changes, style, notes);
  addAttachments(draft, start, changes);
  return {
    raw: changeCell(start, changes, style),
    type: draft.type,
    source,
    text: draft.text,
    id: draft.id ?? draft.base?.id ?? null,
    outputs: draft.type === 'code' ? draft.outputs : null,
    executionCount: draft.type === 'code' ? draft.executionCount : null,
  };
}

/** The draft's text with the line ends that belong to it: those that it was given, else the file's. */
function fileSourceOf({ base, text, spelling }: CellDraft): string {
  if (spelling !== null && withLineFeeds(spelling) === text) return spelling;
  if (base?.text === text) return base.source;
  return base ? restoreLineEnds(base.source, text) : text;
}

function isOriginal(draft: CellDraft, style: FileStyle): boolean {
  return (
    draft.original !== null && (draft.id === null || draft.id === draft.original.id) && !differs({ ...draft, base: draft.original }, style)
  );
}

function modelChanges(draft: CellDraft, base: CellBase, source: string, style: FileStyle, onNonFinite: () => void): CellChanges {
  const changes: CellChanges = draft.type === base.type ? new Map() : typeChanges(base.raw, draft.type);
  if (source !== base.source) changes.set('source', sourceValue(base.raw, source, style));
  if (draft.id !== null && draft.id !== base.id) changes.set('id', { text: Buffer.from(JSON.stringify(draft.id)), count: 0 });
  const metadata = metadataValue(base.raw, draft.metadata, style, onNonFinite);
  if (metadata) changes.set('metadata', metadata);
  return changes;
}

async function addOutputChanges(
  draft: CellDraft,
  start: ObjectText,
  changes: CellChanges,
  style: FileStyle,
  notes: Set<string>,
): Promise<void> {
  if (draft.type !== 'code') return;
  if (draft.outputs !== draft.base?.outputs) {
    const { outputs } = draft;
    if (outputs.kind === 'stored')
      changes.set('outputs', { text: outputs.text.bytes.subarray(outputs.text.start, outputs.text.end), count: outputs.text.count });
    else if (outputs.list.length > 0 || needsEmpty(start))
      changes.set('outputs', outputs.list.length > 0 ? await outputsValue(outputs.list, style, notes) : EMPTY_ARRAY);
  }
  if (draft.executionCount !== (draft.base?.executionCount ?? null)) {
    changes.set(
      'execution_count',
      draft.executionCount === null ? NULL_VALUE : { text: Buffer.from(String(draft.executionCount)), count: 0 },
    );
  }
}

/** False when the text has an empty `outputs` already, whose spelling then stays. */
function needsEmpty(start: ObjectText): boolean {
  const member = findMember(start, 'outputs');
  return !member || member.count > 0;
}

/** Attachments come back when a cell that was code for a while becomes text again. */
function addAttachments(draft: CellDraft, start: ObjectText, changes: CellChanges): void {
  if (!lacksAttachments(draft, start)) return;
  const { bytes, start: from, end } = draft.attachments!;
  changes.set('attachments', { text: bytes.subarray(from, end), count: 0 });
}

function lacksAttachments({ type, attachments }: CellDraft, text: ObjectText): boolean {
  return type !== 'code' && attachments !== null && !findMember(text, 'attachments');
}

/** True when the cell's text in the file would differ. Ids don't count: a repaired one is written when something else is. */
export function differs(draft: CellDraft, style: FileStyle): boolean {
  const { base } = draft;
  if (!base || draft.type !== base.type || fileSourceOf({ ...draft, base }) !== base.source) return true;
  if (draft.type === 'code' && (draft.executionCount !== base.executionCount || draft.outputs !== base.outputs)) return true;
  return lacksAttachments(draft, base.raw) || metadataValue(base.raw, draft.metadata, style) !== null;
}
