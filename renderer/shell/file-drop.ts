/**
 * Files dropped on the window: notebooks open in tabs. Caught before any part of the page sees them, for an editor would write their paths
 * into the cell under the pointer.
 */
import { useEffect } from 'react';
import type { App } from './app.ts';

export interface DroppedFiles {
  /** Paths of notebooks, in the order they were dropped. */
  notebooks: readonly string[];
  /** Why nothing, or not all of it, opens: a sentence for the person; null when all of it does. */
  refusal: string | null;
}

/** `path` is empty for what is no file on this disk, such as an image dragged out of a browser. */
export function sortDropped(files: readonly { name: string; path: string }[]): DroppedFiles {
  const notebooks = files.filter(({ path }) => /\.ipynb$/i.test(path)).map(({ path }) => path);
  const others = files.filter(({ path }) => !/\.ipynb$/i.test(path));
  const [first] = others;
  if (!first) return { notebooks, refusal: null };
  const what = others.length === 1 ? `${first.name} is` : `${others.length} of the files are`;
  return { notebooks, refusal: `${what} not opened: only notebook files (.ipynb) are.` };
}

export function useFileDrop(app: App): void {
  useEffect(() => {
    const onDragOver = (event: DragEvent): void => {
      if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = 'copy';
    };
    const onDrop = (event: DragEvent): void => {
      if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.stopPropagation();
      void openDropped(app, [...event.dataTransfer.files]);
    };
    const ways = [
      ['dragenter', onDragOver],
      ['dragover', onDragOver],
      ['drop', onDrop],
    ] as const;
    for (const [name, listener] of ways) window.addEventListener(name, listener, true);
    return () => {
      for (const [name, listener] of ways) window.removeEventListener(name, listener, true);
    };
  }, [app]);
}

async function openDropped(app: App, files: readonly File[]): Promise<void> {
  const { notebooks, refusal } = sortDropped(files.map((file) => ({ name: file.name, path: app.bridge.pathOfFile(file) })));
  for (const path of notebooks) await app.workspace.open(path);
  if (refusal !== null) app.toasts.tell(refusal);
}

function holdsFiles(data: DataTransfer): boolean {
  return data.types.includes('Files');
}
