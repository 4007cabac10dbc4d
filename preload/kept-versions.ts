/**
 * What windows and main say to each other about unsaved work that was given up or put away. A part of the contract, in a file of its own because
 * one dialog is the only one to know it.
 */
import * as z from 'zod';
import type { DocumentSnapshot } from './contract.ts';

export interface KeptVersionView {
  id: string;
  title: string;
  folder: string | null;
  /** How many cells differ from the contents that it starts from. */
  cells: number;
  /** Milliseconds since the epoch of the last change. */
  changedAt: number;
  /** Of the notebook's file now; `unreadable`: what was kept is damaged, and lies in `folder`. */
  state: 'same' | 'changed' | 'gone' | 'untitled' | 'unreadable';
}

export interface KeptCalls {
  /** The newest first. */
  'kept.list': { args: undefined; result: KeptVersionView[] };
  /** The version's cells and those of the file as it is now, as texts; null for a file that can't be read. */
  'kept.compare': { args: { id: string }; result: { kept: string; file: string | null } };
  /** Opens it as a notebook of its own, which has no file yet. It stays kept. */
  'kept.open': { args: { id: string }; result: DocumentSnapshot };
  'kept.remove': { args: { id: string }; result: null };
}

const one = z.object({ id: z.string().min(1).max(100) });

export const keptCallSchemas: { [N in keyof KeptCalls]: z.ZodType<KeptCalls[N]['args']> } = {
  'kept.list': z.undefined(),
  'kept.compare': one,
  'kept.open': one,
  'kept.remove': one,
};
