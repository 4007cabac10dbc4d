/** What tests of outside changes share: a folder of their own in which files are replaced as most programs do it, and short looks at a document. */
import { renameSync } from 'node:fs';
import type { NotebookDocument } from '../../../../main/documents/notebook-document.ts';
import { type CellJson, code, markdown, notebook, temporaryFolder, usual } from '../temporary-folder.ts';

export const three = notebook([code(['one']), markdown(['two']), code(['three'])]);

export function withCells(...cells: CellJson[]): string {
  return usual(notebook(cells));
}

export function sources(document: NotebookDocument): string[] {
  return document.keys().map((key) => document.cell(key)!.source);
}

/** What the document says of outside changes from now on. */
export function notices(document: NotebookDocument): string[] {
  const told: string[] = [];
  document.on('outside', ({ message }) => told.push(message));
  return told;
}

/** Registers the hooks, as `temporaryFolder` does. */
export function outsideFolder() {
  const folder = temporaryFolder();
  return {
    folder,
    /** As most programs save: another file takes the place. */
    replaceFile(content: string, name = 'a.ipynb'): void {
      folder.write(`${name}.new`, content);
      renameSync(folder.path(`${name}.new`), folder.path(name));
    },
    texts: (name = 'a.ipynb'): string[] => folder.json(name).cells.map(({ source }) => [source].flat().join('')),
  };
}
