/**
 * Taking back an agent's turn in every notebook where it edited something. What others built on its edits stays, and a notebook that is closed can't
 * be helped; both are said in words, cell by cell.
 */
import type { AgentCall } from '../../preload/agent-sessions.ts';
import type { KeptReason, TurnName } from '../documents/edit-turns.ts';
import { NotebookSaveError } from '../documents/errors.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { NotebookOwner } from './notebook-owner.ts';
import type { SharedSaves } from './shared-saves.ts';

export interface EditedNotebook {
  docId: string;
  path: string;
}

/** The notebooks that calls of this turn edited, each once. */
export function editedIn(history: readonly AgentCall[], turn: number): EditedNotebook[] {
  const edited = new Map<string, EditedNotebook>();
  for (const { turn: of, card, docId, state } of history)
    if (of === turn && state === 'done' && card.kind === 'notebook' && docId !== null) edited.set(docId, { docId, path: card.path });
  return [...edited.values()];
}

const REASONS: Readonly<Record<KeptReason, string>> = {
  'written-in': 'stays, because others wrote in it',
  'changed-since': 'was changed by others since',
  'typed-in': 'keeps what others typed in it',
  'deleted-since': 'was deleted since',
  'brought-back': 'was brought back by others since and stays',
  'run-since': 'was run again since, so its earlier outputs are gone',
};

/** Says what could not be taken back, or null. Throws NotebookSaveError once it is taken back everywhere, where a notebook could not be saved. */
export async function takeBackTurn(
  owner: NotebookOwner,
  saves: SharedSaves,
  turn: TurnName,
  edited: readonly EditedNotebook[],
): Promise<string | null> {
  const open = owner.opened();
  const left: string[] = [];
  const failures: unknown[] = [];
  for (const notebook of open) {
    const { document } = notebook;
    const taken = document.turns.takeBack(turn);
    if (!taken) continue;
    left.push(...taken.kept.map(({ key, reason }) => `${cellName(document, key)} ${REASONS[reason]}.`));
    if (document.path !== null && taken.changed.length > 0) await saves.save(notebook).catch((error: unknown) => failures.push(error));
  }
  // Cells that wait for the person's choice are left out of every save until then.
  const failure = failures.find((error) => !(error instanceof NotebookSaveError && error.leftOut !== null));
  if (failure !== undefined) throw failure;
  const ids = new Set(open.map(({ document }) => document.id));
  for (const { docId, path } of edited) if (!ids.has(docId)) left.push(`${path} was closed since and stays as it is.`);
  return left.length === 0 ? null : left.join(' ');
}

function cellName(document: NotebookDocument, key: string): string {
  const index = document.keys().indexOf(key);
  return index === -1 ? `A cell of ${document.title} that is gone` : `Cell ${index} of ${document.title}`;
}
