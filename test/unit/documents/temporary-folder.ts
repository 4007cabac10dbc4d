/** A folder of its own for each test, removed afterwards, and the few helpers around notebooks in it that the document tests share. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { NotebookSaveError } from '../../../main/documents/errors.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';

/** Registers the hooks; the returned functions work inside tests. */
export function temporaryFolder() {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cellwright-documents-'));
  });
  afterEach(() => {
    chmodSync(folder, 0o755);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    path: (name = ''): string => join(folder, name),
    write(name: string, content: string | Buffer): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    read: (name: string): string => readFileSync(join(folder, name), 'utf8'),
    json: (name = 'a.ipynb'): NotebookJson => JSON.parse(readFileSync(join(folder, name), 'utf8')) as NotebookJson,
    /** Writes a notebook and opens it in a store of its own. */
    open(content: unknown, name = 'a.ipynb'): Promise<NotebookDocument> {
      const path = join(folder, name);
      writeFileSync(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : usual(content));
      return new DocumentStore().open(path);
    },
    names: (): string[] => readdirSync(folder).sort(),
  };
}

export interface CellJson {
  cell_type: string;
  id?: string;
  source: string | string[];
  metadata: Record<string, unknown>;
  execution_count?: number | null;
  outputs?: Record<string, unknown>[];
  attachments?: unknown;
}

export interface NotebookJson {
  cells: CellJson[];
  metadata: Record<string, unknown>;
  nbformat: number;
  nbformat_minor: number;
}

/** A notebook in the usual form. */
export function usual(notebook: unknown): string {
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

export function code(source: string[], more: Partial<CellJson> = {}): CellJson {
  return { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source, ...more };
}

export function markdown(source: string[], more: Partial<CellJson> = {}): CellJson {
  return { cell_type: 'markdown', metadata: {}, source, ...more };
}

export function notebook(cells: CellJson[], more: Partial<NotebookJson> = {}): NotebookJson {
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 4, ...more };
}

/** `saved`, or the code of the failure. */
export async function saveCode(document: NotebookDocument, options?: { overwrite?: boolean }): Promise<string> {
  return document.save(options).then(
    () => 'saved',
    (error: unknown) => (error instanceof NotebookSaveError ? error.code : String(error)),
  );
}

/** The change that adds a stream output. */
export function stream(text: string) {
  return { op: 'append', output: { type: 'stream', name: 'stdout', text } } as const;
}
