/** The editor library's side-by-side view, which no cell needs: loaded when two versions are first compared. */
import 'monaco-editor/features/diffEditor/register';
import type { editor as Monaco } from 'monaco-editor/editor';
import { CODE_LINE, CODE_PAD_BOTTOM, CODE_PAD_TOP, CODE_SIZE } from '../cells/editor/code-metrics.ts';
import { editor, overflowNode } from '../cells/editor/monaco.ts';

const PLAIN: Monaco.IEditorOptions = {
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSize: CODE_SIZE,
  lineHeight: CODE_LINE,
  fontLigatures: false,
  padding: { top: CODE_PAD_TOP, bottom: CODE_PAD_BOTTOM },
  minimap: { enabled: false },
  glyphMargin: false,
  folding: false,
  lineNumbersMinChars: 4,
  lineDecorationsWidth: 12,
  scrollBeyondLastLine: false,
  overviewRulerLanes: 0,
  renderLineHighlight: 'none',
  occurrencesHighlight: 'off',
  guides: { indentation: false, bracketPairs: false },
  stickyScroll: { enabled: false },
  wordWrap: 'on',
  contextmenu: false,
  links: false,
  unusualLineTerminators: 'off',
  fixedOverflowWidgets: true,
  automaticLayout: true,
};

export interface DiffOptions {
  host: HTMLElement;
  /** Left, never changed. */
  original: string;
  /** Right. */
  modified: string;
  language: string;
  editable: boolean;
  labels: { original: string; modified: string };
  onEdit: (text: string) => void;
}

/** Returns the function that takes the view down. */
export function showDiff({ host, original, modified, language, editable, labels, onEdit }: DiffOptions): () => void {
  const view = editor.createDiffEditor(host, {
    ...PLAIN,
    overflowWidgetsDomNode: overflowNode,
    readOnly: !editable,
    originalEditable: false,
    renderSideBySide: true,
    useInlineViewWhenSpaceIsLimited: false,
    renderMarginRevertIcon: editable,
    renderGutterMenu: false,
    renderOverviewRuler: false,
    diffWordWrap: 'on',
    originalAriaLabel: labels.original,
    modifiedAriaLabel: labels.modified,
    ignoreTrimWhitespace: false,
  });
  const models = [editor.createModel(original, language), editor.createModel(modified, language)] as const;
  for (const model of models) model.setEOL(editor.EndOfLineSequence.LF);
  // Ours to end: the editor leaves one that it made itself at work, and that fails when its texts go before the comparison has come.
  const comparison = view.createViewModel({ original: models[0], modified: models[1] });
  view.setModel(comparison);
  const listening = models[1].onDidChangeContent(() => onEdit(models[1].getValue()));
  return () => {
    listening.dispose();
    view.dispose();
    comparison.dispose();
    for (const model of models) model.dispose();
  };
}

export interface RawTextOptions {
  host: HTMLElement;
  text: string;
  /** Number of the text's first line in the file. */
  firstLine: number;
  /** The line to show and mark, numbered as in the file. */
  line: number | null;
  column: number | null;
  label: string;
  markClass: string;
}

/** A text to read, with one line marked. Returns the function that takes it down. */
export function showRawText({ host, text, firstLine, line, column, label, markClass }: RawTextOptions): () => void {
  const model = editor.createModel(text, 'plaintext');
  const view = editor.create(host, {
    ...PLAIN,
    overflowWidgetsDomNode: overflowNode,
    model,
    readOnly: true,
    domReadOnly: true,
    wordWrap: 'off',
    lineNumbers: (number) => String(number + firstLine - 1),
    ariaLabel: label,
    renderControlCharacters: true,
  });
  const at = line === null ? null : Math.min(Math.max(1, line - firstLine + 1), model.getLineCount());
  if (at !== null) {
    const range = { startLineNumber: at, startColumn: 1, endLineNumber: at, endColumn: 1 };
    view.createDecorationsCollection([{ range, options: { isWholeLine: true, className: markClass } }]);
    view.setPosition({ lineNumber: at, column: column ?? 1 });
    view.revealLineInCenter(at);
  }
  return () => {
    view.dispose();
    model.dispose();
  };
}
