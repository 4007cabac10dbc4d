/**
 * The repository's folder, for scripts. They run from any working folder, so each path starts here.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute and without a slash at the end. */
export const repository = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
