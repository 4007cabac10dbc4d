/** Coloured source: spans of tokens, and the language of a cell. */
import { describe, expect, it } from 'vitest';
import { editorLanguage } from '../../../renderer/cells/editor/languages.ts';
import { themeData } from '../../../renderer/cells/editor/monaco-theme.ts';
import { sourceSpans, tokenKind } from '../../../renderer/cells/editor/source-tokens.ts';

describe('sourceSpans', () => {
  it('cuts each line at its tokens and loses nothing', () => {
    const spans = sourceSpans(
      ['def f():', '  # x'],
      [
        [
          { offset: 0, type: 'keyword.python' },
          { offset: 3, type: '' },
          { offset: 4, type: 'function.python' },
          { offset: 5, type: 'delimiter.parenthesis.python' },
        ],
        [
          { offset: 0, type: '' },
          { offset: 2, type: 'comment.python' },
        ],
      ],
    );
    expect(spans).toEqual([
      [
        { kind: 'keyword', text: 'def ' },
        { kind: 'function', text: 'f' },
        { kind: 'operator', text: '():' },
      ],
      [
        { kind: 'text', text: '  ' },
        { kind: 'comment', text: '# x' },
      ],
    ]);
  });

  it('is plain where there are no tokens yet', () => {
    expect(sourceSpans(['a = 1', ''], [])).toEqual([[{ kind: 'text', text: 'a = 1' }], []]);
  });

  it.each([
    ['string.escape.python', 'string'],
    ['keyword.operator.js', 'operator'],
    ['keyword.flow.js', 'keyword'],
    ['constant.python', 'number'],
    ['meta.magic.python', 'decorator'],
    ['identifier.python', 'text'],
    ['stringy', 'text'],
    ['', 'text'],
  ])('%s is %s', (type, kind) => expect(tokenKind(type)).toBe(kind));
});

describe('editorLanguage', () => {
  it.each([
    ['code', 'python', 'x = 1', 'python'],
    ['code', 'Python', '', 'python'],
    ['code', 'R', '', 'r'],
    ['code', 'C++17', '', 'cpp'],
    ['code', 'brainfuck', '', 'plaintext'],
    ['code', 'python', '%%bash -s x', 'shell'],
    ['code', 'python', '%%html', 'html'],
    ['code', 'python', '%%time', 'python'],
    ['code', 'python', '%%constructor', 'python'],
    ['code', 'r', '%%bash', 'r'],
    ['markdown', 'python', '%%bash', 'markdown'],
    ['raw', 'python', 'x', 'plaintext'],
  ] as const)('%s in %s, beginning with %s, is %s', (type, kernel, line, language) => {
    expect(editorLanguage(type, kernel, line)).toBe(language);
  });
});

it('spells colours out for the editor, which takes six digits alone', () => {
  const { rules, colors } = themeData((token) => (token.startsWith('--code') ? '#fff' : '#0A0b0C'), 'high-contrast');
  for (const { foreground } of rules) expect(foreground).toBe('ffffff');
  expect(colors['editor.background']).toBe('#0A0b0C');
  for (const colour of Object.values(colors)) expect(colour).toMatch(/^#([0-9a-f]{6}|[0-9a-f]{8})$/i);
});
