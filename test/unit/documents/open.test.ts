/** Opening: every way in which a file is no notebook is told apart, in order, and reading never changes a byte. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NotebookOpenError, type OpenErrorCode } from '../../../main/documents/errors.ts';
import { fileBytes } from '../../../main/documents/notebook-file.ts';
import { openNotebook } from '../../../main/documents/open.ts';
import { fileSource } from '../../../main/documents/raw-cell.ts';
import { code, markdown, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

async function refusal(path: string): Promise<NotebookOpenError> {
  const readable = existsSync(path) && statSync(path).isFile() && (statSync(path).mode & 0o400) !== 0;
  const before = readable ? readFileSync(path) : null;
  const error: unknown = await openNotebook(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (before) expect(readFileSync(path).equals(before)).toBe(true);
  if (!(error instanceof NotebookOpenError)) throw new Error(`expected a NotebookOpenError, got ${String(error)}`);
  return error;
}

describe('refused', () => {
  it('a missing file', async () => {
    expect(await refusal(folder.path('no.ipynb'))).toMatchObject({
      code: 'not-found',
      message: `There is no file ${folder.path('no.ipynb')}.`,
    });
    expect((await refusal(`${folder.write('file', '')}/a.ipynb`)).code).toBe('not-found');
  });

  it('a folder', async () => {
    mkdirSync(folder.path('a.ipynb'));
    expect(await refusal(folder.path('a.ipynb'))).toMatchObject({ code: 'is-folder', message: 'a.ipynb is a folder.' });
  });

  it('a link to itself', async () => {
    symlinkSync('a.ipynb', folder.path('a.ipynb'));
    expect(await refusal(folder.path('a.ipynb'))).toMatchObject({
      code: 'not-file',
      message: 'a.ipynb is a link that leads back to itself.',
    });
  });

  it('a named pipe, without waiting for a writer', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no named pipes among files');
    execFileSync('mkfifo', [folder.path('pipe.ipynb')]);
    expect((await refusal(folder.path('pipe.ipynb'))).code).toBe('not-file');
  });

  it('a file without read permission', async (context) => {
    if (process.getuid?.() === 0) return context.skip('root may read every file');
    const path = folder.write('a.ipynb', usual(notebook([])));
    chmodSync(path, 0o000);
    expect(await refusal(path)).toMatchObject({ code: 'not-readable', message: "a.ipynb can't be read: permission denied." });
  });

  const conflict = usual(notebook([markdown(['a'])])).replace('    "a"\n', '<<<<<<< ours\n    "a"\n=======\n    "b"\n>>>>>>> theirs\n');

  it.each<[string, string, OpenErrorCode, string]>([
    ['nothing at all', '', 'bad-json', 'bad.ipynb is empty.'],
    ['a byte order mark alone', '\ufeff', 'bad-json', 'bad.ipynb is empty.'],
    ['blanks', ' \n', 'bad-json', 'bad.ipynb is empty.'],
    ['a cut-off file', '{"cells": [', 'bad-json', 'bad.ipynb is not JSON: line 1, column 12: the text ends too early. It looks cut off.'],
    ['bad JSON', '{\n "cells": [],\n}', 'bad-json', 'bad.ipynb is not JSON: line 3, column 1: a comma stands before "}".'],
    ['comments', '{"cells": [], // none\n"nbformat": 4}', 'bad-json', 'bad.ipynb is not JSON: line 1, column 15: JSON has no comments.'],
    ['git conflict markers', conflict, 'conflict-markers', 'bad.ipynb holds git conflict markers, the first in line 7, so it is not JSON.'],
    ['an array', '[]', 'not-notebook', 'The file is JSON but not a notebook. Its top level is an array, not an object.'],
    ['no cells', '{"nbformat": 4}', 'not-notebook', 'The file is JSON but not a notebook. It has no "cells".'],
    [
      'cells that are none',
      '{"cells": [1], "nbformat": 4}',
      'not-notebook',
      'The file is JSON but not a notebook. Its cells[0] is a number, not an object.',
    ],
    [
      'a version that is no number',
      '{"cells": [], "nbformat": "4"}',
      'not-notebook',
      'The file is JSON but not a notebook. Its "nbformat" is "4", not a number.',
    ],
    [
      'an old version with its cells in another place',
      '{"nbformat": 3, "cells": [{"cell_type": "code", "source": "x"}]}',
      'not-notebook',
      'The file is JSON but not a notebook. It says nbformat 3, which has an array "worksheets".',
    ],
    [
      'a later version',
      '{"cells": [], "nbformat": 5, "nbformat_minor": 0}',
      'newer-format',
      'The notebook is of nbformat 5, which this version of Cellwright does not know.',
    ],
  ])('%s', async (_name, text, expected, message) => {
    const error = await refusal(folder.write('bad.ipynb', text));
    expect([error.code, error.message]).toEqual([expected, message]);
    expect(error.hint).not.toBe('');
  });

  it('bad JSON names the byte as well', async () => {
    expect((await refusal(folder.write('bad.ipynb', '{"é": x}'))).detail).toBe(
      'Line 1, column 7 (byte 7): a value should start here, not "x".',
    );
  });

  it('UTF-32', async () => {
    expect((await refusal(folder.write('bad.ipynb', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0])))).message).toBe(
      'bad.ipynb is UTF-32 text, which is not supported.',
    );
  });
});

describe('opened', () => {
  const text = usual(notebook([code(['print("é")'])]));

  it('with a byte order mark, which stays', async () => {
    const bytes = Buffer.from(`\ufeff${text}`);
    const opened = await openNotebook(folder.write('a.ipynb', bytes));
    expect(fileBytes(opened.file).equals(bytes)).toBe(true);
    expect(opened).toMatchObject({ origin: 'utf-8', readOnly: false, notices: [] });
  });

  it.each([
    ['little', 'utf-16 (little-endian)', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big', 'utf-16 (big-endian)', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('as UTF-16 (%s endian), read-only', async (_name, kind, bytes) => {
    const opened = await openNotebook(folder.write('a.ipynb', bytes));
    expect(opened).toMatchObject({ origin: 'converted', readOnly: true });
    expect(opened.notices[0]!.toLowerCase()).toContain(kind);
    expect(fileSource(opened.file.cells[0]!)).toBe('print("é")');
  });

  it('with a byte that is not UTF-8, read-only, naming the byte', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"cells":[{"cell_type":"raw","metadata":{},\n"source":"it'),
      Buffer.from([0x92]),
      Buffer.from('s é"}],"nbformat":4,"nbformat_minor":2,"metadata":{}}'),
    ]);
    const opened = await openNotebook(folder.write('a.ipynb', bytes));
    expect(opened).toMatchObject({ origin: 'converted', readOnly: true });
    expect(opened.notices[0]).toContain(`Byte 0x92 at offset ${bytes.indexOf(0x92)} (line 2) is not UTF-8`);
    expect(fileSource(opened.file.cells[0]!)).toBe('it’s é');
  });

  it('write-protected, with a notice', async () => {
    const path = folder.write('a.ipynb', text);
    chmodSync(path, 0o444);
    expect(await openNotebook(path)).toMatchObject({
      readOnly: true,
      notices: ['a.ipynb is write-protected: changes can only be saved under another name.'],
    });
  });

  it('through a link, knowing both paths', async () => {
    folder.write('real.ipynb', text);
    symlinkSync('real.ipynb', folder.path('link.ipynb'));
    expect(await openNotebook(folder.path('link.ipynb'))).toMatchObject({
      path: folder.path('link.ipynb'),
      realPath: folder.path('real.ipynb'),
    });
  });

  it('with bare NaN and Infinity, and says so', async () => {
    const odd = text.replace('"metadata": {},\n "nbformat"', '"metadata": {"x": NaN, "y": -Infinity},\n "nbformat"');
    expect(odd).toContain('NaN');
    const opened = await openNotebook(folder.write('a.ipynb', odd));
    expect(opened.notices.join()).toContain('NaN or Infinity as bare words');
    expect(fileBytes(opened.file).toString()).toBe(odd);
  });

  it('of a later minor version, with a notice', async () => {
    const opened = await openNotebook(folder.write('a.ipynb', usual({ ...notebook([]), nbformat_minor: 99 })));
    expect(opened.minor).toBe(99);
    expect(opened.notices.join()).toContain('nbformat 4.99, newer than the 4.5 known here');
  });

  it('without a version, as 4.0', async () => {
    const opened = await openNotebook(folder.write('a.ipynb', '{"cells": []}'));
    expect(opened.minor).toBe(0);
    expect(opened.notices.join()).toContain('does not say its nbformat version');
  });
});

describe('old formats', () => {
  it('become a new notebook', async () => {
    const old = {
      metadata: { name: 'x' },
      nbformat: 3,
      nbformat_minor: 0,
      worksheets: [{ cells: [{ cell_type: 'code', input: '1+1', outputs: [], prompt_number: 2 }] }],
    };
    const opened = await openNotebook(folder.write('old.ipynb', JSON.stringify(old)));
    expect(opened).toMatchObject({ origin: 'old-format', disk: null, minor: 5, readOnly: false });
    expect(opened.notices[0]).toContain('old.ipynb is of nbformat 3. It was converted into this new notebook');
    expect(fileSource(opened.file.cells[0]!)).toBe('1+1');
  });
});
