/**
 * A process that opens a kernel's sockets with every number of descriptors from none to enough, and closes them. Prints one JSON line: what each
 * number gave, and the descriptors that are left. The limit is set by whoever starts it.
 */
import { closeSync, openSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionInfo } from '../../../main/kernels/direct/connection-file.ts';
import { openSockets } from '../../../main/kernels/direct/sockets.ts';

/** Sockets, monitor and connections of one kernel need fewer. */
const MOST_FREE = 16;
const SETTLE_MS = 10_000;
/** Looks in a row at the same number, before it counts. */
const SETTLED_LOOKS = 20;

/** Infinity while sockets that are just being closed still hold the last one, which the question needs itself. */
function open(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
    return Number.POSITIVE_INFINITY;
  }
}

/** `ok`, or the code of what openSockets threw. */
function tryOpen(): string {
  try {
    const listener = { onFrames: () => {}, onError: () => {} };
    // Nobody listens there, so that no connection adds to the count.
    openSockets(connectionInfo([1, 2, 3, 4, 5], 'nobody'), 'identity', listener).close();
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

async function withFree(free: number): Promise<string> {
  const ballast: number[] = [];
  try {
    for (;;) ballast.push(openSync(devNull, 'r'));
  } catch {
    for (const descriptor of ballast.splice(0, free)) closeSync(descriptor);
  }
  const result = tryOpen();
  for (const descriptor of ballast) closeSync(descriptor);
  return result;
}

async function main(): Promise<void> {
  // What stays open for good is opened by the first one.
  tryOpen();
  let before = open();
  for (let settled = 0; settled < SETTLED_LOOKS; await delay(20)) {
    settled = open() === before ? settled + 1 : 0;
    before = open();
  }
  const results: string[] = [];
  for (let free = 0; free <= MOST_FREE; free += 1) results.push(await withFree(free));
  let left = open() - before;
  for (const end = Date.now() + SETTLE_MS; left > 0 && Date.now() < end; left = open() - before) await delay(20);
  process.stdout.write(`${JSON.stringify({ results, left })}\n`);
}

void main();
