/**
 * The design tokens as an editor theme. Pure but for the token reader it is given. The editor takes six hex digits and nothing else, and the
 * build shortens `#ffffff` to `#fff`: colours are spelled out here.
 */
import type { editor } from 'monaco-editor/editor';

type ReadToken = (name: string) => string;

const SYNTAX: readonly (readonly [string, string])[] = [
  ['', '--code-text'],
  ['identifier', '--code-text'],
  ['comment', '--code-comment'],
  ['string', '--code-string'],
  ['regexp', '--code-string'],
  ['number', '--code-number'],
  ['constant', '--code-number'],
  ['keyword', '--code-keyword'],
  ['keyword.operator', '--code-operator'],
  ['type', '--code-type'],
  ['namespace', '--code-type'],
  ['function', '--code-function'],
  ['predefined', '--code-function'],
  ['builtin', '--code-function'],
  ['tag', '--code-decorator'],
  ['annotation', '--code-decorator'],
  ['decorator', '--code-decorator'],
  ['meta', '--code-decorator'],
  ['operator', '--code-operator'],
  ['delimiter', '--code-operator'],
];

const COLOURS: readonly (readonly [string, string])[] = [
  ['foreground', '--color-text'],
  ['descriptionForeground', '--color-text-muted'],
  ['icon.foreground', '--color-text-muted'],
  ['focusBorder', '--color-accent'],
  ['editor.background', '--color-bg'],
  ['editor.foreground', '--code-text'],
  ['editorCursor.foreground', '--color-accent'],
  ['editor.selectionBackground', '--color-selection'],
  ['editor.inactiveSelectionBackground', '--color-accent-soft'],
  ['editorLineNumber.foreground', '--color-text-faint'],
  ['editorLineNumber.activeForeground', '--color-text-muted'],
  ['editorIndentGuide.background1', '--color-line'],
  ['editorIndentGuide.activeBackground1', '--color-line-strong'],
  ['editorWhitespace.foreground', '--color-line-strong'],
  // Brackets by depth would be six more colours than the page has.
  ...['foreground1', 'foreground2', 'foreground3', 'foreground4', 'foreground5', 'foreground6', 'unexpectedBracket.foreground'].map(
    (name): [string, string] => [`editorBracketHighlight.${name}`, '--code-operator'],
  ),
  ['editorBracketMatch.background', '--color-accent-soft'],
  ['editorBracketMatch.border', '--color-accent-soft'],
  ['editorWidget.background', '--color-bg-raised'],
  ['editorWidget.foreground', '--color-text'],
  ['editorWidget.border', '--color-line-strong'],
  ['editorHoverWidget.background', '--color-bg-raised'],
  ['editorHoverWidget.foreground', '--color-text'],
  ['editorHoverWidget.border', '--color-line-strong'],
  ['editorSuggestWidget.background', '--color-bg-raised'],
  ['editorSuggestWidget.foreground', '--color-text'],
  ['editorSuggestWidget.border', '--color-line-strong'],
  ['editorSuggestWidget.selectedBackground', '--color-accent-soft'],
  ['editorSuggestWidget.selectedForeground', '--color-text'],
  ['editorSuggestWidget.highlightForeground', '--color-accent-text'],
  ['editorSuggestWidget.focusHighlightForeground', '--color-accent-text'],
  ['list.hoverBackground', '--color-bg-sunken'],
  ['list.activeSelectionBackground', '--color-accent-soft'],
  ['list.activeSelectionForeground', '--color-text'],
  ['list.highlightForeground', '--color-accent-text'],
  ['menu.background', '--color-bg-raised'],
  ['menu.foreground', '--color-text'],
  ['menu.selectionBackground', '--color-accent-soft'],
  ['menu.selectionForeground', '--color-text'],
  ['menu.separatorBackground', '--color-line'],
  ['menu.border', '--color-line-strong'],
  ['quickInput.background', '--color-bg-raised'],
  ['quickInput.foreground', '--color-text'],
  ['input.background', '--color-bg'],
  ['input.foreground', '--color-text'],
  ['input.border', '--color-line-strong'],
  ['inputOption.activeBackground', '--color-accent-soft'],
  ['inputOption.activeForeground', '--color-text'],
  ['editor.findMatchBackground', '--color-selection'],
  ['editor.findMatchHighlightBackground', '--color-accent-soft'],
  ['editor.wordHighlightBackground', '--color-accent-soft'],
  ['editor.selectionHighlightBackground', '--color-accent-soft'],
  ['editorLink.activeForeground', '--color-accent-text'],
  ['textLink.foreground', '--color-accent-text'],
  ['editorError.foreground', '--color-failed'],
  ['editorWarning.foreground', '--color-running'],
];

/** Shadows and scroll bars keep to what the rest of the window does. */
const FIXED = {
  'widget.shadow': '#00000018',
  'scrollbar.shadow': '#00000000',
  'scrollbarSlider.background': '#8c857b40',
  'scrollbarSlider.hoverBackground': '#8c857b70',
  'scrollbarSlider.activeBackground': '#8c857b90',
  'editor.lineHighlightBackground': '#00000000',
  'editor.lineHighlightBorder': '#00000000',
  'editorUnicodeHighlight.border': '#00000000',
  'editorUnicodeHighlight.background': '#00000000',
};

export function themeData(read: ReadToken, theme: string): editor.IStandaloneThemeData {
  const rules = SYNTAX.map(([token, name]) => ({
    token,
    foreground: spelledOut(read(name)).slice(1),
    ...(token === 'comment' ? { fontStyle: 'italic' } : {}),
  }));
  const colors = Object.fromEntries(COLOURS.map(([name, token]) => [name, spelledOut(read(token))]));
  return {
    base: theme === 'light' ? 'vs' : theme === 'dark' ? 'vs-dark' : 'hc-black',
    inherit: false,
    rules,
    colors: { ...colors, ...FIXED },
  };
}

/** `#abc` as `#aabbcc`. */
function spelledOut(colour: string): string {
  return /^#[0-9a-f]{3}$/i.test(colour) ? colour.replace(/[0-9a-f]/gi, (digit) => digit + digit) : colour;
}
