/** The calls of the repair view. Both work on paths and not on documents: what they are about can't be opened as one. */
import path from 'node:path';
import type { DamagedFileView, OutsideCalls, RecoveredText } from '../../preload/outside-changes.ts';
import type { RecoveredCell } from '../documents/repair/recover.ts';
import { type DamagedFile, lookAtDamage, writeRepaired } from '../documents/repair/repair-file.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers } from './ipc-router.ts';
import type { PageWindow } from './page-window.ts';

type RepairCalls = Pick<CallHandlers<PageWindow>, Extract<keyof OutsideCalls, `repair.${string}`>>;

export function repairCalls(): RepairCalls {
  return {
    'repair.look': async (_window, { path: given }) => {
      const damage = await lookAtDamage(absolute(given));
      return damage && toView(damage);
    },
    'repair.write': async (window, { path: given, version, choices, target }) => {
      const file = absolute(given);
      const chosen = target ?? (await window.askForSavePath(path.join(path.dirname(file), `${path.parse(file).name} (repaired).ipynb`)));
      if (chosen === null) return null;
      await writeRepaired({ path: file, version, choices: new Map(choices), target: absolute(chosen) });
      return { path: chosen };
    },
  };
}

function absolute(given: string): string {
  if (!path.isAbsolute(given)) throw new ActionError('bad-path', 'The file’s path is not absolute.');
  return path.normalize(given);
}

/** The cells' JSON stays here: only what is shown crosses. */
function toView({ recovered, ...damage }: DamagedFile): DamagedFileView {
  const { path: file, name, message, line, column, offset, excerpt, suggestedPath, version } = damage;
  const cells = recovered?.cells.map(cellView) ?? null;
  const notes = recovered?.notes ?? [];
  const sides = recovered?.sides ?? null;
  return { path: file, name, message, line, column, offset, excerpt, cells, notes, sides, suggestedPath, version };
}

function cellView({ key, ours, theirs, open, choice }: RecoveredCell) {
  return { key, ours: textView(ours), theirs: textView(theirs), open, choice };
}

function textView(cell: RecoveredCell['ours']): RecoveredText | null {
  return cell && { type: cell.type, source: cell.source, outputs: cell.outputs, note: cell.note };
}
