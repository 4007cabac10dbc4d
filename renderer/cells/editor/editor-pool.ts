/**
 * Editors are dear (a few milliseconds and a megabyte each), cells are many: a handful of editors is lent to the cells that need one.
 * A lent editor has its own text model and its own DOM node, which moves into the cell; given back, it waits without a model.
 */
import type { editor as Monaco } from 'monaco-editor/editor';
import { CODE_LINE, CODE_PAD_BOTTOM, CODE_PAD_LEFT, CODE_PAD_TOP, CODE_SIZE } from './code-metrics.ts';
import { editor, overflowNode } from './monaco.ts';

/** Editors kept waiting; more would hold memory for nothing, fewer would make a new one for every click. */
const SPARE_EDITORS = 3;

const OPTIONS: Monaco.IStandaloneEditorConstructionOptions = {
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSize: CODE_SIZE,
  lineHeight: CODE_LINE,
  fontLigatures: false,
  letterSpacing: 0,
  padding: { top: CODE_PAD_TOP, bottom: CODE_PAD_BOTTOM },
  lineDecorationsWidth: CODE_PAD_LEFT,
  lineNumbersMinChars: 3,
  lineNumbers: 'off',
  glyphMargin: false,
  folding: false,
  minimap: { enabled: false },
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  scrollBeyondLastLine: false,
  scrollBeyondLastColumn: 2,
  scrollbar: {
    vertical: 'hidden',
    horizontal: 'auto',
    horizontalScrollbarSize: 8,
    horizontalSliderSize: 4,
    verticalScrollbarSize: 0,
    alwaysConsumeMouseWheel: false,
    useShadows: false,
  },
  renderLineHighlight: 'none',
  occurrencesHighlight: 'off',
  guides: { indentation: false, bracketPairs: false },
  stickyScroll: { enabled: false },
  wordBasedSuggestions: 'off',
  quickSuggestionsDelay: 150,
  parameterHints: { enabled: false },
  codeLens: false,
  lightbulb: { enabled: 'off' as Monaco.ShowLightbulbIconMode },
  links: false,
  dragAndDrop: false,
  fixedOverflowWidgets: true,
  automaticLayout: false,
  tabSize: 4,
  insertSpaces: true,
  detectIndentation: false,
  unusualLineTerminators: 'off',
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: true },
  renderControlCharacters: true,
  smoothScrolling: false,
  cursorBlinking: 'smooth',
  cursorWidth: 2,
  contextmenu: true,
  accessibilitySupport: 'auto',
};

export interface LentEditor {
  editor: Monaco.IStandaloneCodeEditor;
  node: HTMLElement;
}

const spare: LentEditor[] = [];

export function borrowEditor(): LentEditor {
  const waiting = spare.pop();
  if (waiting) return waiting;
  const node = document.createElement('div');
  // The class carries the theme's colours to menus, which are drawn beside the editor and not in it.
  node.className = 'monaco-component';
  node.style.cssText = 'position:absolute;inset:0;';
  return { editor: editor.create(node, { ...OPTIONS, overflowWidgetsDomNode: overflowNode, model: null }), node };
}

export function returnEditor(lent: LentEditor): void {
  lent.editor.setModel(null);
  lent.node.remove();
  if (spare.length < SPARE_EDITORS) spare.push(lent);
  else lent.editor.dispose();
}
