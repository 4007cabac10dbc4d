/** Stored widget state and saves: untouched to the byte unless this session has newer state and the person wants it written. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { STATE_MIME, storedModel, widgetsMetadata } from '../../../main/widgets/stored-state.ts';
import { orderedKeys, setSource } from '../../../preload/notebook-model.ts';

/** Odd on purpose: numbers, escapes and spaces as no writer of ours would put them. */
const STATE = `{"${STATE_MIME}": {"version_minor":0 , "state": {"m": {"model_name":"M","model_module":"m","state":{"value":1.0, "big":9007199254740993,"text":"\\u00e9"}}},"version_major":2}}`;

let folder: string;
let document: NotebookDocument;
let store: DocumentStore;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-widgets-'));
  const file = path.join(folder, 'a.ipynb');
  const cell = '{"cell_type": "markdown", "id": "c", "metadata": {}, "source": ["text"]}';
  await writeFile(file, `{"cells": [${cell}], "metadata": {"widgets": ${STATE}}, "nbformat": 4, "nbformat_minor": 5}\n`);
  store = new DocumentStore();
  document = await store.open(file);
});

afterEach(async () => {
  store.close(document.id);
  await rm(folder, { recursive: true, force: true });
});

async function editAndSave(text: string): Promise<string> {
  setSource(document.ydoc, orderedKeys(document.ydoc)[0]!, text);
  await document.save();
  return readFile(document.path!, 'utf8');
}

it('is as it was after an edit and a save', async () => {
  const saved = await editAndSave('changed');
  expect(saved).toContain('changed');
  expect(saved).toContain(`"widgets": ${STATE}`);
  document.saveWidgetsOf(() => null);
  expect(await editAndSave('again')).toContain(`"widgets": ${STATE}`);
});

it('is written when there is newer state to write, is what is shown from then on, and makes nothing unsaved by itself', async () => {
  const live = { state: { _model_name: 'N', _model_module: 'n', _model_module_version: '1', value: 7 }, outputs: [] };
  document.saveWidgetsOf(() => widgetsMetadata([['n', live]]));
  expect(document.dirty).toBe(false);
  const saved = JSON.parse(await editAndSave('changed'));
  expect(document.dirty).toBe(false);
  expect(storedModel(saved.metadata.widgets, 'n')).toEqual(live);
  expect(storedModel(document.storedWidgets(), 'n')).toEqual(live);
  expect(storedModel(saved.metadata.widgets, 'm')).toBeNull();
});
