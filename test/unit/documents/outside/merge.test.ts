/** The pure parts of taking in changes from outside, as tables: which cell is which, three versions to one, the order, the newer run. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newPositions } from '../../../../main/documents/outside/cell-positions.ts';
import { longestIncreasing } from '../../../../main/documents/outside/increasing.ts';
import { type CellFace, matchCells } from '../../../../main/documents/outside/match-cells.ts';
import { type CellContent, mergeCell, mergeObjects } from '../../../../main/documents/outside/merge-cell.ts';
import { mergeOrder } from '../../../../main/documents/outside/merge-order.ts';
import { newerOutputs, type OutputSides, recordedRun } from '../../../../main/documents/outside/newer-outputs.ts';
import { takenInWords } from '../../../../main/documents/outside/outside-words.ts';

/** `id:source`, or a source without an id; a leading `#` makes it markdown. */
function faces(texts: readonly string[]): CellFace[] {
  return texts.map((text) => {
    const [, id = null, source = ''] = /^(?:(\w+):)?(.*)$/s.exec(text)!;
    return { id, type: source.startsWith('#') ? 'markdown' : 'code', source };
  });
}

describe('which cell is which', () => {
  it.each<[string, string[], string[], number[]]>([
    ['ids, whatever the text', ['a:1', 'b:2'], ['b:2', 'a:9'], [1, 0]],
    ['a new id is a new cell, however alike', ['a:x = 1'], ['b:x = 1 ', 'a:x = 1'], [-1, 0]],
    ['equal text under another id is the same cell', ['a:x = 1'], ['b:x = 1'], [0]],
    ['doubled ids tell nothing: the text does', ['a:1', 'a:2'], ['a:2', 'a:1'], [1, 0]],
    ['without ids equal text, also when it moved', ['1', '2', '3'], ['3', '1', '2'], [2, 0, 1]],
    ['without ids the second of two equal cells is the second', ['x', 'x', 'y'], ['x', 'new', 'x', 'y'], [0, -1, 1, 2]],
    ['a changed cell between two that stayed', ['1', 'two', '3'], ['1', 'zwei', '3'], [0, 1, 2]],
    ['alike cells in a gap, and a new one between them', ['a\nb\nc', 'd\ne\nf'], ['a\nb\nC', 'new', 'd\ne\nF'], [0, -1, 1]],
    ['a letter changed in the only line, beside a new cell', ['x = 1'], ['y()', 'x = 2'], [-1, 0]],
    ['nothing alike in a gap of several', ['1', '2'], ['8', '9', '10'], [-1, -1, -1]],
    ['another type is another cell', ['x'], ['#x'], [-1]],
    ['the file got ids', ['1', '2'], ['a:1', 'b:2'], [0, 1]],
    ['nothing left', ['1'], [], []],
  ])('%s', (_name, base, theirs, expected) => {
    expect(matchCells(faces(base), faces(theirs))).toEqual(expected);
  });

  it('never gives one cell to two, for any two notebooks', () => {
    const cell = fc.tuple(fc.option(fc.constantFrom('a', 'b', 'c')), fc.constantFrom('', 'x', 'x\ny', 'y\nz', '# t'));
    const notebook = fc.array(cell, { maxLength: 12 }).map((cells) => faces(cells.map(([id, text]) => (id ? `${id}:${text}` : text))));
    fc.assert(
      fc.property(notebook, notebook, (base, theirs) => {
        const match = matchCells(base, theirs);
        const used = match.filter((place) => place !== -1);
        expect(match).toHaveLength(theirs.length);
        expect(new Set(used).size).toBe(used.length);
        expect(used.every((place) => place < base.length)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('three versions of a cell', () => {
  const cell = (source: string, more: Partial<CellContent> = {}): CellContent => ({ type: 'code', source, metadata: {}, ...more });
  it.each<[string, CellContent | null, CellContent | null, CellContent | null, string | null, string | null]>([
    ['nobody changed it', cell('a'), cell('a'), cell('a'), 'a', null],
    ['changed here', cell('a'), cell('b'), cell('a'), 'b', null],
    ['changed there', cell('a'), cell('a'), cell('b'), 'b', null],
    ['changed alike', cell('a'), cell('b'), cell('b'), 'b', null],
    ['changed in two ways', cell('a'), cell('b'), cell('c'), 'b', 'both'],
    ['both made it, alike', null, cell('a'), cell('a'), 'a', null],
    ['both made it, each in its way', null, cell('a'), cell('b'), 'a', 'both'],
    ['made there', null, null, cell('b'), 'b', null],
    ['deleted there', cell('a'), cell('a'), null, null, null],
    ['deleted there, changed here', cell('a'), cell('b'), null, 'b', 'deleted-there'],
    ['deleted here', cell('a'), null, cell('a'), null, null],
    ['deleted here, changed there', cell('a'), null, cell('b'), 'b', 'deleted-here'],
    ['deleted on both sides', cell('a'), null, null, null, null],
    ['text here, type there', cell('a'), cell('b'), cell('a', { type: 'markdown' }), 'b', null],
    ['two types', cell('a'), cell('a', { type: 'raw' }), cell('a', { type: 'markdown' }), 'a', 'both'],
  ])('%s', (_name, base, mine, theirs, source, conflict) => {
    const merged = mergeCell(base, mine, theirs);
    expect([merged.content?.source ?? null, merged.conflict]).toEqual([source, conflict]);
  });

  it('keeps a cell that was run here and deleted there', () => {
    expect(mergeCell(cell('a'), cell('a'), null, true).conflict).toBe('deleted-there');
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>, number]>([
    ['other entries on each side', {}, { a: 1 }, { b: 2 }, { a: 1, b: 2 }, 0],
    ['an entry taken out there', { a: 1, b: 1 }, { a: 1, b: 1 }, { b: 1 }, { b: 1 }, 0],
    ['an entry taken out here', { a: 1 }, {}, { a: 1 }, {}, 0],
    ['inside an entry', { j: { x: 1, y: 1 } }, { j: { x: 2, y: 1 } }, { j: { x: 1, y: 2 } }, { j: { x: 2, y: 2 } }, 0],
    ['the same entry on both sides stays as it is here', { t: ['a'] }, { t: ['b'] }, { t: ['c'] }, { t: ['b'] }, 1],
  ])('metadata: %s', (_name, base, mine, theirs, value, clashes) => {
    expect(mergeObjects(base, mine, theirs)).toEqual({ value, clashes });
  });
});

/** A cell in capitals stays though one side deleted it. */
describe('the order', () => {
  it.each<[string, string, string, string, string]>([
    ['nobody moved', 'abc', 'abc', 'abc', 'abc'],
    ['added there', 'abc', 'abc', 'axbc', 'axbc'],
    ['added on both sides', 'abc', 'aybc', 'abxc', 'aybxc'],
    ['added there at the start and the end', 'ab', 'ab', 'xaby', 'xaby'],
    ['a run added there stays together', 'ab', 'ab', 'axyzb', 'axyzb'],
    ['moved there', 'abcd', 'abcd', 'dabc', 'dabc'],
    ['moved here', 'abcd', 'dabc', 'abcd', 'dabc'],
    ['the same cell moved on both sides stays where it is here', 'abcd', 'dabc', 'adbc', 'dabc'],
    ['deleted there, moved here', 'abcd', 'dabc', 'acd', 'dac'],
    ['added after a cell that was deleted here', 'abc', 'ac', 'abxc', 'axc'],
    ['added where cells were deleted that stay', 'aBCd', 'aBCd', 'axd', 'aBCxd'],
    ['brought back after one that was deleted there and stays', 'aBC', 'aB', 'aC', 'aBC'],
  ])('%s', (_name, base, mine, theirs, expected) => {
    const deletedHere = [...base].filter((key) => !mine.includes(key));
    const deletedThere = [...base].filter((key) => !theirs.includes(key));
    const kept = new Set(
      [...mine, ...theirs].filter((key) => key === key.toUpperCase() || (!deletedHere.includes(key) && !deletedThere.includes(key))),
    );
    expect(mergeOrder([...base], [...mine], [...theirs], kept).join('')).toBe(expected);
  });

  it('has every cell once, and is theirs when nothing was moved here', () => {
    const keys = fc.shuffledSubarray([...'abcdefgh'], { minLength: 0 });
    fc.assert(
      fc.property(keys, keys, keys, (base, mine, theirs) => {
        const kept = new Set([...mine, ...theirs]);
        const order = mergeOrder(base, mine, theirs, kept);
        expect([...order].sort()).toEqual([...kept].sort());
        expect(mergeOrder(mine, mine, theirs, new Set(theirs))).toEqual(theirs);
      }),
    );
  });

  it('is told with position keys that increase, and new ones for the fewest cells', () => {
    const order = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 });
    fc.assert(
      fc.property(order, fc.array(fc.constantFrom('a0', 'a1', 'a2', 'a3', 'a4'), { minLength: 8, maxLength: 8 }), (keys, positions) => {
        const present = new Map<string, string>(keys.flatMap((key, place) => (place % 3 === 2 ? [] : [[key, positions[place]!]])));
        const changed = newPositions(keys, present);
        const now = keys.map((key) => changed.get(key) ?? present.get(key)!);
        expect(now.every((position, place) => place === 0 || now[place - 1]! < position)).toBe(true);
        const old = keys.filter((key) => present.has(key)).map((key) => present.get(key)!);
        expect(changed.size).toBe(keys.length - longestIncreasing(old).length);
      }),
    );
  });
});

describe('outputs', () => {
  const sides: OutputSides = { mineDiffer: true, theirsDiffer: true, mineAt: 500, fileAt: 600, theirsAt: null };
  it.each<[string, Partial<OutputSides>, 'mine' | 'theirs']>([
    ['the file has the same as before', { theirsDiffer: false }, 'mine'],
    ['nothing was run here', { mineDiffer: false, mineAt: null }, 'theirs'],
    ['run here after the file was written', { mineAt: 700 }, 'mine'],
    ['run here before the file was written', {}, 'theirs'],
    ['the file is newer, but the run in it is older', { theirsAt: 400 }, 'mine'],
    ['run here and saved, then replaced there', { mineDiffer: false }, 'theirs'],
    ['a run here has just begun', { mineDiffer: false, mineAt: 700 }, 'mine'],
    ['loaded here', { mineAt: null }, 'theirs'],
  ])('%s', (_name, change, expected) => {
    expect(newerOutputs({ ...sides, ...change })).toBe(expected);
  });

  it('reads when Jupyter ran a cell', () => {
    const execution = { 'iopub.execute_input': '2024-05-01T10:00:00.000Z', 'shell.execute_reply': '2024-05-01T10:00:02.000Z', other: 3 };
    expect(recordedRun({ execution })).toBe(Date.parse('2024-05-01T10:00:02.000Z'));
    expect([recordedRun({}), recordedRun({ execution: null }), recordedRun({ execution: { a: 'no time' } })]).toEqual([null, null, null]);
  });
});

describe('the notice', () => {
  const nothing = { changed: 0, added: 0, deleted: 0, outputs: 0, cleared: 0, unattached: 0, moved: false, conflicts: 0, clashes: 0 };
  it.each([
    [nothing, null],
    [{ ...nothing, changed: 1, added: 2 }, 'a.ipynb was changed by another program. Taken in: 1 cell changed, 2 cells added.'],
    [{ ...nothing, outputs: 3 }, 'a.ipynb was changed by another program. Taken in: new outputs in 3 cells.'],
    [
      { ...nothing, outputs: 3, cleared: 1 },
      'a.ipynb was changed by another program. Taken in: new outputs in 2 cells, 1 cell without outputs now.',
    ],
    [{ ...nothing, unattached: 1 }, 'a.ipynb was changed by another program. Taken in: 1 cell without attachments now.'],
    [{ ...nothing, changed: 1, outputs: 1 }, 'a.ipynb was changed by another program. Taken in: 1 cell changed.'],
    [{ ...nothing, clashes: 1 }, 'a.ipynb was changed by another program. Cell settings changed on both sides stay as they are here.'],
    [{ ...nothing, conflicts: 2 }, null],
  ])('%o', (taken, words) => {
    expect(takenInWords('a.ipynb', taken)).toBe(words);
  });
});
