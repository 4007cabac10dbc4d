/** The sentences and counts of the repair view, as tables. */
import { describe, expect, it } from 'vitest';
import type { DamagedFileView, RecoveredCellView } from '../../../../preload/outside-changes.ts';
import { chooseAll, fileName, placeWords, recoveredWords, statusWords, undecided } from '../../../../renderer/repair/repair-words.ts';

const text = { type: 'code', source: 'x', outputs: 0, note: null } as const;
const whole: RecoveredCellView = { key: 'a', ours: text, theirs: text, open: false, choice: 'ours' };
const mended: RecoveredCellView = { ...whole, key: 'b', ours: { ...text, note: 'it got an id' } };
const open: RecoveredCellView = { key: 'c', ours: text, theirs: null, open: true, choice: 'ours' };

function damage(more: Partial<DamagedFileView>): DamagedFileView {
  return {
    path: '/p/a.ipynb',
    name: 'a.ipynb',
    message: 'broken',
    line: null,
    column: null,
    offset: null,
    excerpt: { text: '', firstLine: 1, whole: true },
    cells: [whole],
    notes: [],
    sides: null,
    suggestedPath: '/p/a (repaired).ipynb',
    version: 'v',
    ...more,
  };
}

const SIDES = { ours: 'HEAD', theirs: 'x' };

describe('the repair view', () => {
  it.each<[Partial<DamagedFileView>, string]>([
    [{}, '1 cell found, all of them whole.'],
    [{ cells: [whole, mended] }, '2 cells found, 1 of them mended.'],
    [{ cells: [whole, open], sides: SIDES }, '2 cells found, 1 of them in two versions.'],
    [{ cells: null }, 'Nothing that looks like a notebook was found in this file.'],
  ])('says what was found: %#', (more, words) => {
    expect(recoveredWords(damage(more))).toBe(words);
  });

  it('says that nothing is written, and what keeps it from being', () => {
    expect(statusWords(damage({ cells: [open], sides: SIDES }), new Map())).toBe(
      '1 cell has two versions. Nothing is written until you choose.',
    );
    expect(statusWords(damage({ cells: [open], sides: SIDES }), new Map([['c', 'both' as const]]))).toBe(
      'Nothing has been written yet. The file stays as it is.',
    );
    expect(statusWords(damage({ cells: null }), new Map())).toBe('The file stays as it is.');
  });

  it('names the place', () => {
    const places = [
      { line: null, column: null, offset: null },
      { line: 3, column: 1, offset: null },
      { line: 3, column: 9, offset: 41 },
    ];
    expect(places.map(placeWords)).toEqual([
      'The file as it is',
      'The file as it is – line 3',
      'The file as it is – line 3, column 9 (byte 41)',
    ]);
    expect([fileName('/p/a b.ipynb'), fileName('C:\\p\\a.ipynb'), fileName('a')]).toEqual(['a b.ipynb', 'a.ipynb', 'a']);
  });

  it('chooses one side for all that wait, and counts the rest', () => {
    const cells = [whole, open, { ...open, key: 'd' }];
    expect([...chooseAll(cells, 'theirs')]).toEqual([
      ['c', 'theirs'],
      ['d', 'theirs'],
    ]);
    expect([
      undecided(cells, new Map()),
      undecided(cells, new Map([['d', 'ours' as const]])),
      undecided(cells, chooseAll(cells, 'ours')),
    ]).toEqual([2, 1, 0]);
  });
});
