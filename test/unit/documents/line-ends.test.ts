/** Line ends of a file: never touched unasked, told of when they are mixed, and made LF when that is asked for, with nothing else changed. */
import { statSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { hasMixedLineEnds, lineFeedText, MIXED_NOTICE } from '../../../main/documents/line-ends.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, markdown, notebook, saveCode, stream, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();
const TEXT = usual(notebook([code(['a = 1\r\n', 'b']), markdown(['# Title'])]));
/** Every second line ends in CRLF. */
const MIXED = TEXT.split('\n').reduce((text, line, index) => text + (index === 0 ? '' : index % 2 ? '\r\n' : '\n') + line);

describe('a file with mixed line ends', () => {
  it('is told of, and an edit changes no other byte', async () => {
    const document = await folder.open(MIXED);
    expect(document.notices).toEqual([MIXED_NOTICE]);
    setSource(document.ydoc, document.keys()[1]!, '# Another');
    expect(await saveCode(document)).toBe('saved');
    expect(folder.read('a.ipynb')).toBe(MIXED.replace('# Title', '# Another'));
  });

  it('has LF everywhere when that is asked for, and sources keep theirs', async () => {
    const document = await folder.open(MIXED);
    const crlf = MIXED.split('\r\n').length - 1;
    expect(await document.normaliseLineEnds()).toBe(crlf);
    expect(folder.read('a.ipynb')).toBe(TEXT);
    expect([document.dirty, document.notices]).toEqual([false, []]);
    expect(await document.normaliseLineEnds()).toBe(0);
    setSource(document.ydoc, document.keys()[1]!, '# Another');
    expect(await saveCode(document)).toBe('saved');
    expect(folder.read('a.ipynb')).toBe(TEXT.replace('# Title', '# Another'));
  });

  it('keeps what is unsaved unsaved, outputs and undo included', async () => {
    const document = await folder.open(MIXED);
    const [key, other] = document.keys() as [string, string];
    setSource(document.ydoc, other, '# Mine');
    document.applyOutputs(key, [stream('out\n')]);
    await document.normaliseLineEnds();
    expect(folder.read('a.ipynb')).toBe(TEXT);
    expect([document.dirty, document.cell(other)!.source, document.outputCount(key)]).toEqual([true, '# Mine', 1]);
    expect(document.outside.conflictCount).toBe(0);
  });

  it('stays as it is when another program has damaged it meanwhile, or there is no file', async () => {
    const document = await folder.open(MIXED);
    writeFileSync(folder.path('a.ipynb'), `${MIXED}damaged\r\n`);
    await expect(document.normaliseLineEnds()).rejects.toMatchObject({ code: 'conflict' });
    expect(folder.read('a.ipynb')).toBe(`${MIXED}damaged\r\n`);
    await expect(new DocumentStore().create({ folder: null }).normaliseLineEnds()).rejects.toMatchObject({ code: 'untitled' });
  });
});

it('a file with CRLF alone is told nothing of and stays as it is', async () => {
  const document = await folder.open(TEXT.replaceAll('\n', '\r\n'));
  const before = statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs;
  expect([document.notices, await saveCode(document)]).toEqual([[], 'saved']);
  expect(statSync(folder.path('a.ipynb'), { bigint: true }).mtimeNs).toBe(before);
});

describe('the text with LF', () => {
  const parts = fc.array(fc.constantFrom('\r', '\n', '\r\n', 'x', '{}'), { maxLength: 30 });

  it('is that of a plain replacement, wherever the pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 4 }), async (pieces) => {
        const texts = pieces.map((piece) => piece.join(''));
        const whole = texts.join('');
        const { bytes, count } = await lineFeedText(texts.map((text) => Buffer.from(text)));
        expect(bytes.toString()).toBe(whole.replaceAll('\r\n', '\n'));
        expect(count).toBe(whole.split('\r\n').length - 1);
        const lone = /(^|[^\r])\n/.test(whole);
        expect(await hasMixedLineEnds(Buffer.from(whole))).toBe(lone && count > 0);
      }),
    );
  });
});
