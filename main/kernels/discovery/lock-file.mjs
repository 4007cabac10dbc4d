/**
 * A lock between processes: a file that names its owner.
 * The hard thing is an owner that was killed. The file appears with the owner's id already in it (link, not open and write),
 * so a reader always learns whom it waits for, and a dead owner's lock is taken over at once.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** How long one process waits for another; shorter than a slow network needs means two makers in one folder. */
const DEFAULT_TIMEOUT_MS = 15 * 60_000;

const POLL_MS = 200;

/**
 * Waits for the lock. The folder of `file` must exist.
 * @param {string} file
 * @param {{ onWait?: () => void, signal?: AbortSignal, timeoutMs?: number }} [options] `onWait` is called once, when another owner lives.
 * @returns {Promise<(() => Promise<void>) | null>} releases the lock; null when the time is over
 * @throws the signal's reason, or the file system's error
 */
export async function takeLock(file, { onWait = () => {}, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
  const end = Date.now() + timeoutMs;
  const mine = `${file}.${randomUUID()}`;
  await writeFile(mine, String(process.pid));
  try {
    for (let told = false; ; ) {
      if (await linked(mine, file)) return () => rm(file, { force: true });
      if (await ownerIsGone(file)) {
        await rm(file, { force: true });
        continue;
      }
      if (!told) onWait();
      told = true;
      if (Date.now() > end) return null;
      await delay(POLL_MS, undefined, { signal });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
async function linked(from, to) {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file */
async function ownerIsGone(file) {
  try {
    process.kill(Number(await readFile(file, 'utf8')), 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. EPERM: it lives and is another user's. ENOENT: the lock was released meanwhile, which the next link sees.
    return codeOf(error) === 'ESRCH' || error instanceof TypeError;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
