/**
 * React's view of a notebook replica: one hook per topic, each of which draws its component again only when that topic changes.
 */
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import type { CellRun, DocumentState, KernelView, WindowOutput } from '../../preload/contract.ts';
import type { RunProgress } from '../kernel/run-progress.ts';
import type { CellKind, NotebookClient } from './notebook-client.ts';
import type { Heading } from './outline.ts';

function useTopic<T>(client: NotebookClient, topic: string, read: () => T): T {
  const subscribe = useCallback((listener: () => void) => client.on(topic, listener), [client, topic]);
  return useSyncExternalStore(subscribe, read);
}

export function useKeys(client: NotebookClient): readonly string[] {
  return useTopic(client, 'keys', () => client.keys);
}

export function useDocument(client: NotebookClient): DocumentState {
  return useTopic(client, 'document', () => client.document);
}

export function useKernel(client: NotebookClient): KernelView {
  return useTopic(client, 'kernel', () => client.kernel);
}

export function useProgress(client: NotebookClient): RunProgress {
  return useTopic(client, 'progress', () => client.progress);
}

export function useOutline(client: NotebookClient): readonly Heading[] {
  return useTopic(client, 'outline', () => client.outline);
}

export function useKind(client: NotebookClient, key: string): CellKind | null {
  return useTopic(client, `kind:${key}`, () => client.kind(key));
}

export function useSource(client: NotebookClient, key: string): string {
  return useTopic(client, `source:${key}`, () => client.source(key));
}

export function useRun(client: NotebookClient, key: string): CellRun {
  return useTopic(client, `run:${key}`, () => client.run(key));
}

/** The cell's outputs, or null until they are here; asks for them as long as the component is mounted. */
export function useOutputs(client: NotebookClient, key: string): readonly WindowOutput[] | null {
  useEffect(() => client.outputs.view(key), [client, key]);
  return useTopic(client, `outputs:${key}`, () => client.outputs.get(key));
}

/** The first line of a cell's source, which decides its language: typing in the others draws nothing. */
export function useFirstLine(client: NotebookClient, key: string): string {
  return useTopic(client, `source:${key}`, () => client.source(key).split('\n', 1)[0] ?? '');
}
