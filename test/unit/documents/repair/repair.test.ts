/** Damaged notebooks: what is had back from them, as tables, and what is written where. Real files, nbformat's own schema. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNotebookAtOnce } from '../../../../main/documents/notebook-file.ts';
import { conflictSides } from '../../../../main/documents/repair/conflict-sides.ts';
import { readLenient } from '../../../../main/documents/repair/lenient-json.ts';
import { type Choice, openChoices, recover, repairedText } from '../../../../main/documents/repair/recover.ts';
import { lookAtDamage, writeRepaired } from '../../../../main/documents/repair/repair-file.ts';
import { findProblems } from '../../../../main/documents/validate.ts';
import { code, markdown, notebook, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();

const NONE = new Map<string, Choice>();

async function isValid(text: string): Promise<void> {
  const minor = (JSON.parse(text) as { nbformat_minor: number }).nbformat_minor;
  expect(await findProblems(parseNotebookAtOnce(Buffer.from(text)), minor)).toEqual([]);
}

function sourcesOf(text: string): string[] {
  return (JSON.parse(text) as { cells: { source: string | string[] }[] }).cells.map(({ source }) => [source].flat().join(''));
}

describe('reading damaged JSON', () => {
  it.each<[string, string, unknown, string[]]>([
    ['sound text', '{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"]}', { a: [1, -2500, true, null, 'xé\n'] }, []],
    ['cut off in a string', '{"a": ["x", "yz', { a: ['x', 'yz'] }, ['the text ends too early']],
    ['cut off after a key', '{"a": 1, "b":', { a: 1 }, ['the text ends too early']],
    ['cut off in a key', '{"a": 1, "b', { a: 1 }, ['the text ends too early']],
    ['a comma too many', '{"a": [1, 2,], }', { a: [1, 2] }, ['a comma stands before "]"', 'a comma stands before "}"']],
    ['a comma missing', '{"a": 1 "b": ["x" "y"]}', { a: 1, b: ['x', 'y'] }, ['a comma is missing', 'a comma is missing']],
    ['a bracket missing', '{"a": [{"b": 1}, "c": 2}', { a: [{ b: 1 }], c: 2 }, ['a "]" is missing']],
    ['a brace missing', '{"a": [{"b": 1, {"c": 2}]}', { a: [{ b: 1 }, { c: 2 }] }, ['a "}" is missing']],
    [
      'comments',
      '{"a": 1, // one\n # two\n /* three */ "b": 2}',
      { a: 1, b: 2 },
      ['JSON has no comments', 'JSON has no comments', 'JSON has no comments'],
    ],
    ['single quotes', "{'a': 'x\"y'}", { a: 'x"y' }, ['JSON strings stand in double quotes', 'JSON strings stand in double quotes']],
    [
      'Python’s words',
      '{"a": None, "b": True, "c": NaN}',
      { a: null, b: true, c: null },
      ['"None" does not belong here', '"True" does not belong here', '"NaN" does not belong here'],
    ],
    [
      'a quote in a string',
      '["print("hi")\\n", "b"]',
      ['print("hi")\n', 'b'],
      Array(2).fill('a quote inside of a string must be written \\"'),
    ],
    ['a string that is not closed', '["a,\n  "b"]', ['a', 'b'], ['the string is not closed', 'a comma is missing']],
    ['a line break in a string', '["a\nb"]', ['a\nb'], ['a line break inside of a string must be written \\n']],
    ['a tab in a string', '["a\tb"]', ['a\tb'], ['a control character inside of a string must be escaped']],
    ['a zero before a number', '[007]', [0, 0, 7], ['a comma is missing', 'a comma is missing']],
    ['a blank that is none', '[\u00a01,\f2]', [1, 2], ['this blank is none in JSON', 'this blank is none in JSON']],
    ['text around it', 'hello {"a": 1} bye', { a: 1 }, ['there is text before the first brace', 'there is more text after the end']],
    ['a byte order mark', '\ufeff{"a": 1}', { a: 1 }, []],
    ['no JSON', 'hello', null, ['there is no JSON object in the text']],
    ['an own key __proto__', '{"__proto__": 1}', JSON.parse('{"__proto__": 1}'), []],
  ])('%s', (_name, text, value, faults) => {
    const result = readLenient(text);
    expect(result.value).toEqual(value);
    expect(result.faults.map(({ what }) => what)).toEqual(faults);
  });

  it('reads every sound text as JSON.parse does, and ends on any other', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        if (value === null || typeof value !== 'object') return;
        const result = readLenient(text);
        expect(result.value).toEqual(value);
        expect(result.faults).toEqual([]);
      }),
    );
    fc.assert(fc.property(fc.stringMatching(/^[[\]{}",:a1\\\n/#' -]{0,40}$/), (text) => void readLenient(text)));
    expect(readLenient('['.repeat(100_000)).cut).toBe(true);
  });
});

describe('conflict markers', () => {
  it('give the two files, and the third that both came from', () => {
    const text = 'a\n<<<<<<< HEAD\nb\n||||||| parent\nc\n=======\nd\n>>>>>>> feature\ne\n<<<<<<< HEAD\n=======\nf\n>>>>>>> feature\n';
    expect(conflictSides(text)).toEqual({
      ours: 'a\nb\ne\n',
      base: 'a\nc\ne\n',
      theirs: 'a\nd\ne\nf\n',
      names: { ours: 'HEAD', theirs: 'feature' },
      firstLine: 2,
      count: 2,
    });
  });

  it.each([
    ['CRLF', 'a\r\n<<<<<<< x\r\nb\r\n=======\r\nc\r\n>>>>>>> y\r\n', 'a\r\nb\r\n', 'a\r\nc\r\n'],
    ['no end', 'a\n<<<<<<< x\nb\n=======\nc\n', 'a\nb\n', 'a\nc\n'],
    ['markers half taken out', 'a\n=======\nb\n>>>>>>> y\n', 'a\nb\n', 'a\nb\n'],
    ['none', 'a\n "<<<<<<< x"\n', undefined, undefined],
  ])('%s', (_name, text, ours, theirs) => {
    const sides = conflictSides(text);
    expect([sides?.ours, sides?.theirs]).toEqual([ours, theirs]);
  });
});

describe('what is had back', () => {
  const cells = [
    markdown(['# Title\n', 'text']),
    code(['x = 1\n', 'y'], { outputs: [{ name: 'stdout', output_type: 'stream', text: ['out\n'] }] }),
    code(['z']),
  ];
  const whole = usual(notebook(cells));

  it('of a file cut off at any byte: all the cells before the cut, unchanged, in a valid notebook', async () => {
    const sources = sourcesOf(whole);
    const ends = [...whole.matchAll(/\n {2}\}/g)].map((match) => match.index + match[0].length);
    for (let length = 12; length < whole.length - 1; length += 1) {
      const recovered = recover(whole.slice(0, length), 'a.ipynb');
      const complete = ends.filter((end) => end <= length).length;
      if (!recovered) {
        expect(complete).toBe(0);
        continue;
      }
      const text = repairedText(recovered, NONE);
      expect(sourcesOf(text).slice(0, complete)).toEqual(sources.slice(0, complete));
      expect(recovered.cells.slice(0, complete).map(({ ours }) => ours?.note ?? null)).toEqual(Array(complete).fill(null));
      if (length % 17 === 0) await isValid(text);
    }
  });

  it('keeps the bytes of sound cells: numbers, key order, escapes, unknown keys', () => {
    const cell =
      '{"cell_type":"code", "execution_count":7, "metadata":{"x":1.0,"n":9007199254740993}, "outputs":[], "source":["caf\\u00e9"]}';
    const recovered = recover(
      `{"cells": [${cell}, {"cell_type": "markdown", "source": ["b"], "metadata": {}}], "metadata": {"k": 1e5}, "nbformat_minor": 4,`,
      'a',
    )!;
    const text = repairedText(recovered, NONE);
    expect(text).toContain(cell);
    expect(text).toContain('"metadata": {"k": 1e5}');
  });

  it.each<[string, string, string[], string[]]>([
    [
      'a cell without fields',
      '{"cells": [{"source": "x"}], "nbformat": 4, "nbformat_minor": 4}',
      ['x'],
      ['its type was missing, so it is read as code; its metadata was missing; its execution count was missing; its outputs were missing'],
    ],
    [
      'ids that are missing, doubled or wrong',
      usual(
        notebook([code(['a'], { id: 'i' }), code(['b'], { id: 'i' }), code(['c']), code(['d'], { id: 'no good' })], { nbformat_minor: 5 }),
      ),
      ['a', 'b', 'c', 'd'],
      ['', 'it got a new id', 'it got an id', 'it got a new id'],
    ],
    [
      'ids where there may be none',
      usual(notebook([code(['a'], { id: 'i' })])),
      ['a'],
      ['its id was left out, since this version of the format has none'],
    ],
    [
      'a source that is no text',
      '{"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a", 1, "b"]}], "nbformat_minor": 4}',
      ['ab'],
      ['its source was no text'],
    ],
    [
      'text with outputs',
      '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["a"], "outputs": []}], "nbformat_minor": 4}',
      ['a'],
      ['its outputs were left out, since text has none'],
    ],
    [
      'outputs that are none',
      '{"cells": [{"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["a"], "outputs": [1, {"output_type": "stream", "text": ["x"]}]}], "nbformat_minor": 4}',
      ['a'],
      ['an output that can’t be read was left out'],
    ],
    ['no cells around them', '[{"cell_type": "raw", "metadata": {}, "source": ["a"], "id": "i"}]', ['a'], ['']],
    [
      'a server’s answer',
      '{"name": "a.ipynb", "content": {"cells": [{"cell_type": "raw", "metadata": {}, "source": ["a"]}], "nbformat_minor": 4}}',
      ['a'],
      [''],
    ],
    [
      'an old format, cut off',
      '{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["1+1"], "outputs": []}, {"cell_type": "heading", "level": 2, "source": "H"}',
      ['1+1', '## H'],
      ['', ''],
    ],
  ])('%s', async (_name, text, sources, notes) => {
    const recovered = recover(text, 'a.ipynb')!;
    expect(recovered.cells.map(({ ours }) => ours!.note ?? '')).toEqual(notes);
    const written = repairedText(recovered, NONE);
    expect(sourcesOf(written)).toEqual(sources);
    await isValid(written);
  });

  it.each([['{}'], ['[]'], ['hello'], [''], ['{"cells": []}'], ['{"cells": [1, 2]}'], ['{"a": {"b": 1}}']])('nothing: %s', (text) => {
    expect(recover(text, 'a.ipynb')).toBeNull();
  });
});

/** Two versions as git leaves them: by lines, with what both came from when `base` is given. */
function conflicted(lines: { ours: string; theirs: string; base?: string }): string {
  const middle = lines.base === undefined ? '' : `||||||| parent\n${lines.base}`;
  return `<<<<<<< HEAD\n${lines.ours}${middle}=======\n${lines.theirs}>>>>>>> feature\n`;
}

describe('cells of two sides', () => {
  const ours = notebook([markdown(['# T']), code(['a = 1']), code(['mine'])]);
  const theirs = notebook([markdown(['# T']), code(['a = 2']), code(['new'], { execution_count: 3 })]);

  it('are joined cell by cell: one for what is the same, a choice for what differs', async () => {
    const source = usual(notebook([markdown(['# T']), code(['SOURCE'])]));
    const text = source.replace('    "SOURCE"\n', conflicted({ ours: '    "a = 1"\n', theirs: '    "a = 2"\n' }));
    const recovered = recover(text, 'a.ipynb')!;
    expect(recovered.sides).toEqual({ ours: 'HEAD', theirs: 'feature' });
    expect(recovered.cells.map(({ open, ours: o, theirs: t }) => [open, o?.source, t?.source])).toEqual([
      [false, '# T', '# T'],
      [true, 'a = 1', 'a = 2'],
    ]);
    expect(openChoices(recovered, NONE)).toBe(1);
    const key = recovered.cells[1]!.key;
    const table: [Choice, string[]][] = [
      ['ours', ['# T', 'a = 1']],
      ['theirs', ['# T', 'a = 2']],
      ['both', ['# T', 'a = 1', 'a = 2']],
      [{ source: 'a = 3' }, ['# T', 'a = 3']],
    ];
    for (const [choice, expected] of table) {
      const choices = new Map([[key, choice]]);
      expect(openChoices(recovered, choices)).toBe(0);
      expect(sourcesOf(repairedText(recovered, choices))).toEqual(expected);
      await isValid(repairedText(recovered, choices));
    }
  });

  it('that only one side has can be left out or taken, and both can be kept with ids of their own', async () => {
    const withIds = { nbformat_minor: 5 };
    const [o, t] = [
      notebook([code(['a'], { id: 'x' }), code(['o'], { id: 'o' })], withIds),
      notebook([code(['b'], { id: 'x' }), code(['t'], { id: 't' })], withIds),
    ];
    const recovered = recover(conflicted({ ours: usual(o), theirs: usual(t) }), 'a.ipynb')!;
    expect(recovered.cells.map(({ ours: a, theirs: b }) => [a?.source ?? null, b?.source ?? null])).toEqual([
      ['a', 'b'],
      [null, 't'],
      ['o', null],
    ]);
    const choices = new Map<string, Choice>(recovered.cells.map(({ key }) => [key, 'both']));
    const text = repairedText(recovered, choices);
    expect(sourcesOf(text)).toEqual(['a', 'b', 't', 'o']);
    await isValid(text);
    expect(sourcesOf(repairedText(recovered, new Map(recovered.cells.map(({ key }) => [key, 'ours'] as const))))).toEqual(['a', 'o']);
  });

  it('of which one alone changed need no choice when git says what both came from', () => {
    const base = notebook([markdown(['# T']), code(['a = 1']), code(['new'])]);
    const recovered = recover(conflicted({ ours: usual(ours), theirs: usual(theirs), base: usual(base) }), 'a.ipynb')!;
    expect(recovered.cells.map(({ open, choice, ours: o, theirs: t }) => [open, (choice === 'ours' ? o : t)?.source])).toEqual([
      [false, '# T'],
      [false, 'a = 2'],
      [false, 'mine'],
    ]);
  });

  it('of which one is damaged besides: what is left of both', () => {
    const recovered = recover(
      `{"cells": [\n<<<<<<< a\n{"cell_type": "raw", "source": "x"}\n=======\n{"cell_type": "raw", "source": "y"\n>>>>>>> b\n`,
      'a',
    )!;
    expect(recovered.cells.map(({ ours: o, theirs: t }) => [o?.source, t?.source])).toEqual([['x', 'y']]);
  });
});

describe('the damaged file', () => {
  const truncated = usual(notebook([code(['a']), code(['b'])])).slice(0, -60);

  it.each([
    ['cut off', truncated, 'bad-json', { line: 21, offset: truncated.length }],
    [
      'with conflict markers',
      `{\n "cells": [\n<<<<<<< a\n=======\n>>>>>>> b\n]}`,
      'conflict-markers',
      { line: 3, column: 1, offset: null },
    ],
    ['no notebook', '{"a": 1}', 'not-notebook', { line: null, column: null }],
    ['empty', '', 'bad-json', { line: 1, column: 1, offset: 0 }],
    ['in UTF-16', Buffer.from('\ufeff{"a": x}', 'utf16le'), 'bad-json', { line: 1, column: 7, offset: null }],
    ['binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]), 'bad-json', { line: 1, column: 1 }],
  ])('%s: told with its place, and never touched', async (_name, content, code_, place) => {
    const path = folder.write('a.ipynb', content);
    const damage = (await lookAtDamage(path))!;
    expect(damage).toMatchObject({ code: code_, ...place, suggestedPath: folder.path('a (repaired).ipynb') });
    expect(folder.read('a.ipynb')).toBe(Buffer.from(content as string).toString());
    expect(folder.names()).toEqual(['a.ipynb']);
  });

  it('is no damage when it opens', async () => {
    expect(await lookAtDamage(folder.write('a.ipynb', usual(notebook([]))))).toBeNull();
    await expect(lookAtDamage(folder.path('none.ipynb'))).rejects.toMatchObject({ code: 'not-found' });
  });

  it('shows the text around the fault of a large file, with its line numbers', async () => {
    const lines = Array.from({ length: 60_000 }, (_, number) => `  "line ${number + 2}",`);
    const path = folder.write('a.ipynb', `{"a": [\n${lines.slice(0, 50_000).join('\n')}\noops\n${lines.slice(50_000).join('\n')}`);
    const { excerpt, line } = (await lookAtDamage(path))!;
    expect([line, excerpt.whole]).toEqual([50_002, false]);
    expect(excerpt.text.split('\n')[line! - excerpt.firstLine]).toBe('oops');
    expect(excerpt.text.split('\n')[0]).toBe(`  "line ${excerpt.firstLine}",`);
  });

  it('is repaired into a new file, which opens; the old one stays byte for byte', async () => {
    const path = folder.write('a.ipynb', truncated);
    const { version, suggestedPath } = (await lookAtDamage(path))!;
    await writeRepaired({ path, version, choices: NONE, target: suggestedPath });
    expect(folder.read('a.ipynb')).toBe(truncated);
    expect(folder.json('a (repaired).ipynb').cells.map(({ source }) => [source].flat().join(''))).toEqual(['a', 'b']);
    expect(await lookAtDamage(suggestedPath)).toBeNull();
    expect((await lookAtDamage(path))!.suggestedPath).toBe(folder.path('a (repaired 2).ipynb'));
  });

  it('is replaced when that was asked for, but not when it changed meanwhile; no other file ever is', async () => {
    const path = folder.write('a.ipynb', truncated);
    const { version } = (await lookAtDamage(path))!;
    folder.write('b.ipynb', 'mine');
    await expect(writeRepaired({ path, version, choices: NONE, target: folder.path('b.ipynb') })).rejects.toMatchObject({
      code: 'bad-name',
    });
    folder.write('a.ipynb', `${truncated} `);
    await expect(writeRepaired({ path, version, choices: NONE, target: path })).rejects.toMatchObject({ code: 'conflict' });
    expect([folder.read('a.ipynb'), folder.read('b.ipynb')]).toEqual([`${truncated} `, 'mine']);
    await writeRepaired({ path, version: (await lookAtDamage(path))!.version, choices: NONE, target: path });
    expect(folder.json('a.ipynb').cells).toHaveLength(2);
  });

  it('is not written while a cell has two versions and nobody chose', async () => {
    const text = usual(notebook([code(['S'])])).replace('    "S"\n', conflicted({ ours: '    "a"\n', theirs: '    "b"\n' }));
    const path = folder.write('a.ipynb', text);
    const { version, suggestedPath, recovered } = (await lookAtDamage(path))!;
    await expect(writeRepaired({ path, version, choices: NONE, target: suggestedPath })).rejects.toMatchObject({ code: 'conflict' });
    expect(folder.names()).toEqual(['a.ipynb']);
    await writeRepaired({ path, version, choices: new Map([[recovered!.cells[0]!.key, 'theirs' as const]]), target: suggestedPath });
    expect(folder.json('a (repaired).ipynb').cells[0]!.source).toEqual(['b']);
  });
});
