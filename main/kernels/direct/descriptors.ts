/**
 * Descriptors in use and their limit. Node and Electron raise the soft limit to the hard one when they start, so the limit that is
 * read here can't be raised from inside; at it, what fails first may be a silent wait, and only the count tells why.
 */
import { readdir, readFile } from 'node:fs/promises';

export interface DescriptorUse {
  open: number;
  limit: number;
}

/** A start takes about this many at once: ports, pipes, sockets. */
const NEEDED_FOR_START = 24;

/** The limit of open files of this process or another. Null where the system doesn't say; Infinity where there is none. */
export async function openFileLimit(pid: number | 'self' = 'self'): Promise<number | null> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return found === undefined ? null : found === 'unlimited' ? Infinity : Number(found);
}

/** Null where the system doesn't say. */
export async function descriptorUse(pid: number | 'self' = 'self'): Promise<DescriptorUse | null> {
  const limit = await openFileLimit(pid);
  const open = await readdir(`/proc/${pid}/fd`).then(
    (names) => names.length,
    () => null,
  );
  return limit === null || open === null ? null : { open, limit };
}

/** Whether a start that failed may have failed for want of descriptors. */
export function isNearLimit(use: DescriptorUse | null): boolean {
  return use !== null && use.open + NEEDED_FOR_START > use.limit;
}
