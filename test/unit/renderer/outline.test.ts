/** Headings of markdown, as a reader sees them. */
import { describe, expect, it } from 'vitest';
import { headingAnchor, headingsOf, outlineDepths } from '../../../renderer/notebook/outline.ts';

const texts = (source: string) => headingsOf('k', source).map(({ level, text }) => `${level} ${text}`);

describe('headingsOf', () => {
  it.each([
    ['levels', '# One\n## Two\n###### Six', ['1 One', '2 Two', '6 Six']],
    ['seven marks are no heading', '####### Seven', []],
    ['a mark without a space is a tag', '#tag', []],
    ['closing marks', '## Two ##  ', ['2 Two']],
    ['up to three spaces', '   # Three\n    # Code', ['1 Three']],
    ['comments in a fence', '```python\n# comment\n```\n# Real', ['1 Real']],
    ['a fence in a longer fence', '````\n```\n# no\n````\n# yes', ['1 yes']],
    ['tildes', '~~~\n# no\n~~~', []],
    ['an open fence hides the rest', '```\n# no', []],
    ['underlines', 'Title\n=====\n\nPart\n---', ['1 Title', '2 Part']],
    ['a rule is no heading', 'Words\n\n---', []],
    ['inline marks', '# **Bold** `code` and [a link](x) ![img](y)', ['1 Bold code and a link img']],
    ['names with underscores', '# snake_case_name and _stressed_', ['1 snake_case_name and stressed']],
    ['escapes', '# 5 \\* 3', ['1 5 * 3']],
    ['an empty heading is left out', '#\n## \n# x', ['1 x']],
    ['nothing', '', []],
  ])('%s', (_, source, expected) => {
    expect(texts(source)).toEqual(expected);
  });

  it('tells two headings of one cell apart by their line', () => {
    expect(headingsOf('k', '# Same\ntext\n# Same').map(({ line }) => line)).toEqual([0, 2]);
  });
});

it('nests by level, whatever level it begins with', () => {
  const levels = [2, 3, 3, 5, 2, 1, 2];
  expect(outlineDepths(levels.map((level) => ({ key: 'k', level, text: 'x', line: 0 })))).toEqual([0, 1, 1, 2, 0, 0, 1]);
});

it('makes the anchors that links in notebooks use', () => {
  expect(headingAnchor('Load  the data')).toBe('Load-the-data');
});
