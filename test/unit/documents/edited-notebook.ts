/**
 * A notebook under the `notebook` tool's edits, for tests that compare the bytes which a save writes. In memory it is made of the live document's
 * own parts without the file around them, since thousands of durable saves would take minutes; on a disk it is a document like any other.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { FIRST_MINOR_WITH_IDS } from '../../../main/documents/cell-ids.ts';
import { DocumentCells } from '../../../main/documents/document-cells.ts';
import { applyToDocument, documentView, type EditedDocument } from '../../../main/documents/document-edits.ts';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { type EditPlan, type EditRequest, type NotebookView, planEdit } from '../../../main/documents/edits.ts';
import { writeSnapshot } from '../../../main/documents/file-snapshot.ts';
import { loadCellsAtOnce } from '../../../main/documents/load-document.ts';
import { fileBytes, type NotebookFile, parseNotebookAtOnce } from '../../../main/documents/notebook-file.ts';
import { notebookFormat } from '../../../main/documents/notebook-format.ts';

export interface EditedNotebook {
  view(): NotebookView;
  /** Throws EditError. */
  edit(request: EditRequest): EditPlan;
  /** Resolves to the bytes of the file. */
  save(): Promise<Buffer>;
  /** As last read or saved. */
  readonly file: NotebookFile;
}

export function parse(bytes: Buffer): NotebookFile {
  return parseNotebookAtOnce(bytes, bytes[0] === 0xef ? 3 : 0);
}

/** In the order in which the tool does it. */
function edits(document: EditedDocument): Pick<EditedNotebook, 'view' | 'edit'> {
  return {
    view: () => documentView(document),
    edit(request) {
      const plan = planEdit(documentView(document), request);
      applyToDocument(document, plan.edit, 'agent');
      return plan;
    },
  };
}

export async function onDisk(path: string, bytes: Buffer): Promise<EditedNotebook> {
  writeFileSync(path, bytes);
  const document = await new DocumentStore().open(path);
  return {
    ...edits(document),
    async save() {
      await document.save();
      return readFileSync(path);
    },
    get file() {
      return document.file;
    },
  };
}

export function inMemory(bytes: Buffer): EditedNotebook {
  const opened = parse(bytes);
  const title = 'a.ipynb';
  const hasIds = notebookFormat(opened).minor >= FIRST_MINOR_WITH_IDS;
  const loaded = loadCellsAtOnce(opened, hasIds, title);
  const unheard = { onOutputs: () => {}, onReset: () => {}, onFreshness: () => {}, onSpelled: () => {}, onChange: () => {} };
  const cells = new DocumentCells({ ...loaded, ...unheard, hasIds, style: opened.style });
  let file = opened;
  return {
    ...edits({
      ydoc: loaded.ydoc,
      path: null,
      title,
      hasIds,
      keys: () => [...cells.keys()],
      outputCount: (key) => cells.outputs.count(key),
      clearOutputs: (keys, origin) => cells.outputs.clear(keys, origin),
      sources: cells.sources,
    }),
    async save() {
      if (!cells.changedBeside(new Set())) return fileBytes(file);
      const snapshot = { file, opened, metadata: new Map<string, unknown>(), ...cells.drafts() };
      const written = await writeSnapshot(snapshot);
      cells.commit(snapshot.order, written.bases);
      file = written.file;
      return fileBytes(file);
    },
    get file() {
      return file;
    },
  };
}
