/**
 * Files as damage leaves them, and what must hold for each: opening it ends in a document or in an error with a place and a hint, never in
 * anything else, and not a byte of it changes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { NotebookOpenError, NotebookSaveError } from '../../../main/documents/errors.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import { fileBytes } from '../../../main/documents/notebook-file.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { mutate, randomNumbers } from './malformed.ts';

/** The damaged bytes of a seed, made from one of the given notebooks. */
export function damaged(notebooks: readonly Buffer[], seed: number): Buffer {
  const pick = randomNumbers(seed);
  const original = notebooks[pick(notebooks.length)]!;
  let bytes = original;
  const rounds = 1 + pick(3);
  for (let round = 0; round < rounds; round += 1) {
    const kind = pick(20);
    if (kind < 8) bytes = Buffer.from(mutate(bytes.toString('utf8'), kind, seed + round));
    else if (kind < 16) bytes = fieldDamage(bytes, pick);
    else bytes = byteDamage(bytes, pick);
  }
  return bytes;
}

const VALUES = [
  'null',
  '3',
  '"text"',
  '[]',
  '{}',
  '[1,"a"]',
  'NaN',
  '1e999',
  '{"cells":[]}',
  '"\\ud800"',
  '-1',
  'true',
  '4',
  '5',
  '[[[]]]',
];

/** Puts a value of another kind in the place of one that a notebook needs. */
function fieldDamage(bytes: Buffer, pick: (limit: number) => number): Buffer {
  const text = bytes.toString('utf8');
  const fields = [
    ...text.matchAll(
      /"(?:cells|source|cell_type|outputs|metadata|nbformat|nbformat_minor|id|execution_count|output_type|data|text|worksheets)"\s*:\s*/g,
    ),
  ];
  const field = fields[pick(fields.length)];
  if (!field) return bytes;
  const at = field.index + field[0].length;
  const value = VALUES[pick(VALUES.length)]!;
  return Buffer.from(`${text.slice(0, at)}${value},"was${pick(9)}":${text.slice(at)}`);
}

function byteDamage(bytes: Buffer, pick: (limit: number) => number): Buffer {
  const kind = pick(6);
  const copy = Buffer.from(bytes);
  if (kind === 0) return Buffer.from(`\ufeff${copy.toString()}`, 'utf16le');
  if (kind === 1) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), copy]);
  if (kind === 2) return Buffer.concat([copy, Buffer.alloc(pick(5000))]);
  if (kind === 3) return Buffer.from(copy.toString().replaceAll('\n', '\r\n'));
  for (let count = 1 + pick(4); count > 0; count -= 1) if (copy.length > 0) copy[pick(copy.length)] = pick(256);
  return kind === 4 ? copy : copy.fill(0, pick(copy.length + 1));
}

/** What became of the file. Throws when anything else happened than may. */
export async function openDamaged(path: string, bytes: Buffer): Promise<string> {
  writeFileSync(path, bytes);
  const outcome = await attempt(path, bytes);
  if (!readFileSync(path).equals(bytes)) throw new Error('the file was changed');
  return outcome;
}

async function attempt(path: string, bytes: Buffer): Promise<string> {
  const store = new DocumentStore();
  try {
    const document = await store.open(path);
    const outcome = await workOn(document, path, bytes);
    store.close(document.id);
    return outcome;
  } catch (error) {
    if (!(error instanceof NotebookOpenError)) throw error;
    if (error.message === '' || error.hint === '') throw new Error(`an error without words: ${error.code}`);
    if (error.code === 'bad-json' && !/is empty|line \d+, column \d+/.test(error.message)) throw new Error(`no place: ${error.message}`);
    return error.code;
  }
}

/** Looks at everything as a window does, then edits, saves elsewhere and reads that again. */
async function workOn(document: NotebookDocument, path: string, bytes: Buffer): Promise<string> {
  if (document.dirty) throw new Error('unsaved by opening alone');
  const keys = document.keys();
  for (const key of keys) {
    document.outputs(key);
    document.attachments(key);
    document.executionCount(key);
  }
  document.metadata();
  const [key] = keys;
  const asStored = document.path !== null && !document.readOnly;
  if (asStored && !fileBytes(document.file).equals(bytes)) throw new Error('the pieces are not the file');
  if (key !== undefined) setSource(document.ydoc, key, 'changed');
  try {
    await document.saveAs(`${path}.saved`);
  } catch (error) {
    if (error instanceof NotebookSaveError) return `save ${error.code}`;
    throw error;
  }
  const again = await new DocumentStore().open(`${path}.saved`);
  if (again.keys().length !== keys.length) throw new Error('cells were lost');
  if (key !== undefined && again.cell(again.keys()[0]!)!.source !== 'changed') throw new Error('the edit was lost');
  return document.notices.length > 0 ? 'opened with notices' : 'opened';
}
