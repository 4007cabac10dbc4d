/**
 * A process as a name that files can keep: pid and start, because a pid alone is used again. What a file says of a process holds only while that
 * very process lives.
 */
import * as z from 'zod';
import { processStart } from '../kernels/direct/process-table.ts';

export const owningProcess = z.object({ pid: z.number().int().positive(), start: z.string() });
export type OwningProcess = z.infer<typeof owningProcess>;

let own: Promise<OwningProcess> | null = null;

export function thisProcess(): Promise<OwningProcess> {
  own ??= processStart(process.pid).then((start) => ({ pid: process.pid, start: start ?? '' }));
  return own;
}

/** It is this process, or another one that lives. */
export async function lives({ pid, start }: OwningProcess): Promise<boolean> {
  const self = await thisProcess();
  return pid === self.pid ? start === self.start : (await processStart(pid)) === start;
}
