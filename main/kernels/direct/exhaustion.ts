/**
 * Notices that descriptors have run out while a connection is made. libzmq does not tell: its threads try to open their sockets again and
 * again in silence, and take each descriptor that becomes free. So one that is free now and then is no fault; none for a while is.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 300;

/** In a row: a program that takes and gives back many at once is not at its end. */
const LOOKS = 3;

/** Rejects with EMFILE or ENFILE when no descriptor can be had; never settles otherwise. Looks until the signal is aborted. */
export async function whenExhausted(signal: AbortSignal): Promise<never> {
  for (let failures = 0; !signal.aborted; ) {
    await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    const failure = failureToOpen();
    failures = failure ? failures + 1 : 0;
    if (failure && failures === LOOKS) throw failure;
  }
  return new Promise(() => {});
}

/** The error of a process that can't have so many descriptors now; null for one that can. */
export function failureToOpen(count = 1): NodeJS.ErrnoException | null {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return null;
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException;
    return error.code === 'EMFILE' || error.code === 'ENFILE' ? error : null;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
