/**
 * Cell ids of nbformat 4.5 (unique in a notebook, 1 to 64 letters, digits, `-` or `_`) and Cellwright's own cell keys.
 */
import { randomBytes } from 'node:crypto';

/** nbformat minor from which cells have ids. */
export const FIRST_MINOR_WITH_IDS = 5;

/** A fresh id in the form Jupyter itself uses: eight hexadecimal digits. */
export function newCellId(taken: { has(id: string): boolean }): string {
  for (;;) {
    const id = randomBytes(4).toString('hex');
    if (!taken.has(id)) return id;
  }
}

const keyPrefix = `c${randomBytes(6).toString('hex')}-`;
let keys = 0;

/** A key that names a cell in this program and never reaches a file. Safe in a URL. */
export function newCellKey(): string {
  keys += 1;
  return keyPrefix + keys.toString(36);
}
