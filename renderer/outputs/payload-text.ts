/**
 * The text or JSON value of a payload: at hand, or fetched from the address main gave. Fetched values are kept for a while, since the
 * notebook mounts and unmounts outputs as it scrolls.
 */
import { useEffect, useState } from 'react';
import type { WindowPayload } from '../../preload/contract.ts';
import { textOf } from './output-text.ts';

export type Loaded<T> = { state: 'loading' } | { state: 'ready'; value: T } | { state: 'failed'; message: string };

/** Fetched texts kept, in characters; more would only be memory. */
const MAX_KEPT = 32_000_000;
const kept = new Map<string, string>();
let keptLength = 0;

export function usePayloadText(payload: WindowPayload): Loaded<string> {
  const url = payload.kind === 'url' ? payload.url : null;
  const [fetched, setFetched] = useState<{ url: string; result: Loaded<string> } | null>(null);
  useEffect(() => {
    if (url === null || kept.has(url)) return;
    const abort = new AbortController();
    fetchText(url, abort.signal).then(
      (value) => setFetched({ url, result: { state: 'ready', value } }),
      (error: unknown) => {
        if (!abort.signal.aborted) setFetched({ url, result: { state: 'failed', message: String(error) } });
      },
    );
    return () => abort.abort();
  }, [url]);
  if (payload.kind === 'inline') return { state: 'ready', value: textOf(payload.value) };
  const cached = kept.get(payload.url);
  if (cached !== undefined) return { state: 'ready', value: cached };
  return fetched?.url === url ? fetched.result : { state: 'loading' };
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`The output could not be read (${response.status}).`);
  const text = await response.text();
  keep(url, text);
  return text;
}

function keep(url: string, text: string): void {
  kept.set(url, text);
  keptLength += text.length;
  for (const [oldUrl, oldText] of kept) {
    if (keptLength <= MAX_KEPT || oldUrl === url) break;
    kept.delete(oldUrl);
    keptLength -= oldText.length;
  }
}
