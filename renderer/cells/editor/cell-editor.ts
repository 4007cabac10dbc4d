/**
 * An editor lent to one cell: bound to the cell's shared text, as high as its content, with the few keys that lead out of it.
 * The order of taking down matters: the binding ends before the model goes, or the end of the model would look like a deletion.
 */
import type { editor as Monaco } from 'monaco-editor/editor';
import type * as Y from 'yjs';
import { CODE_LINE } from './code-metrics.ts';
import { borrowEditor, returnEditor } from './editor-pool.ts';
import type { KernelHelp } from './kernel-providers.ts';
import { setKernelHelp } from './kernel-providers.ts';
import { editor as editors, KeyCode } from './monaco.ts';
import { monacoText } from './monaco-text.ts';
import { bindText, editorText, sourceOffset } from './text-binding.ts';

/** Higher cells (pixels) scroll within themselves: the page's layers have a limit, and no one reads 1,500 lines in one cell. */
const HIGHEST = 1500 * CODE_LINE;

export type CaretPlace = 'start' | 'end' | 'keep' | { offset: number };

/** What the rest of the window can ask of the editor in a cell. */
export interface CellEditor {
  focus(place: CaretPlace): void;
  /** As if a person typed it at the caret. */
  type(text: string): void;
  /** Both ends of the selection as offsets in the source; one offset when nothing is selected. */
  selection(): number[];
  hasFocus(): boolean;
  /** Whether an arrow key in this direction would leave the cell. */
  atEdge(direction: 'up' | 'down'): boolean;
  layout(): void;
  setLanguage(language: string): void;
  setLineNumbers(shown: boolean): void;
  dispose(): void;
}

export interface CellEditorOptions {
  host: HTMLElement;
  text: Y.Text;
  language: string;
  wrap: boolean;
  lineNumbers: boolean;
  label: string;
  origin: unknown;
  madeByUndo: (origin: unknown) => boolean;
  help: KernelHelp | null;
  /** Where the caret was when the cell last had an editor. */
  caret: number | null;
  onFocus: () => void;
  onLeave: () => void;
  /** The caret moved: its line's top and bottom edge on the screen, and its offset in the editor's text. */
  onCaret: (top: number, bottom: number, offset: number) => void;
}

/** Conditions under which Escape belongs to the editor: something of its own is open. */
const NOTHING_OPEN =
  '!suggestWidgetVisible && !findWidgetVisible && !parameterHintsVisible && !inSnippetMode && !renameInputVisible && !editorHasMultipleSelections && !editorHoverFocused';

export function lendEditor(options: CellEditorOptions): CellEditor {
  const lent = borrowEditor();
  const { editor, node } = lent;
  const model = editors.createModel(editorText(options.text.toString()), options.language);
  model.setEOL(editors.EndOfLineSequence.LF);
  model.updateOptions({ tabSize: options.language === 'r' || options.language === 'javascript' ? 2 : 4, insertSpaces: true });
  if (options.help) setKernelHelp(model, options.help);
  editor.updateOptions({
    wordWrap: options.wrap ? 'on' : 'off',
    wrappingStrategy: options.wrap ? 'advanced' : 'simple',
    lineNumbers: options.lineNumbers ? 'on' : 'off',
    ariaLabel: options.label,
    quickSuggestions: options.help ? { other: true, comments: false, strings: false } : false,
  });
  options.host.append(node);
  editor.setModel(model);
  const unbind = bindText(options.text, monacoText(model, editor), options);
  const layout = () => fitHeight(editor, options.host);
  layout();
  if (options.caret !== null) editor.setPosition(model.getPositionAt(options.caret));
  // Drawn at once: the next frame must not show a cell without text.
  editor.render(true);

  const resize = new ResizeObserver(layout);
  resize.observe(options.host);
  const subscriptions = [
    editor.onDidContentSizeChange(({ contentHeightChanged }) => contentHeightChanged && layout()),
    editor.onDidFocusEditorText(options.onFocus),
    editor.onDidChangeCursorPosition(({ position }) => {
      if (!editor.hasTextFocus()) return;
      const top = node.getBoundingClientRect().top + editor.getTopForPosition(position.lineNumber, position.column) - editor.getScrollTop();
      options.onCaret(top, top + CODE_LINE, model.getOffsetAt(position));
    }),
    editor.addAction({
      id: 'cellwright.leave',
      label: 'Leave the cell',
      keybindings: [KeyCode.Escape],
      precondition: NOTHING_OPEN,
      run: options.onLeave,
    }),
    editor.addAction({
      id: 'cellwright.complete',
      label: 'Complete or indent',
      keybindings: [KeyCode.Tab],
      precondition: '!suggestWidgetVisible && !inSnippetMode && !editorHasSelection && !editorTabMovesFocus',
      run: () => completeOrIndent(editor, options.help !== null),
    }),
  ];

  return {
    focus: (place) => {
      moveCaret(editor, place);
      editor.focus();
    },
    type: (text) => editor.trigger('keyboard', 'type', { text }),
    selection: () => selectionOffsets(editor, options.text.toString()),
    hasFocus: () => editor.hasTextFocus(),
    atEdge: (direction) => atEdge(editor, direction),
    layout,
    setLanguage: (language) => editors.setModelLanguage(model, language),
    setLineNumbers: (shown) => editor.updateOptions({ lineNumbers: shown ? 'on' : 'off' }),
    dispose: () => {
      unbind();
      resize.disconnect();
      for (const subscription of subscriptions) subscription.dispose();
      returnEditor(lent);
      model.dispose();
    },
  };
}

function fitHeight(editor: Monaco.IStandaloneCodeEditor, host: HTMLElement): void {
  const height = Math.min(editor.getContentHeight(), HIGHEST);
  const width = host.clientWidth;
  if (width === 0) return;
  if (host.style.height !== `${height}px`) host.style.height = `${height}px`;
  const present = editor.getLayoutInfo();
  if (present.width !== width || present.height !== height) editor.layout({ width, height });
}

function moveCaret(editor: Monaco.IStandaloneCodeEditor, place: CaretPlace): void {
  const model = editor.getModel();
  if (!model || place === 'keep') return;
  if (place === 'start') editor.setPosition({ lineNumber: 1, column: 1 });
  else if (place === 'end') editor.setPosition(model.getFullModelRange().getEndPosition());
  else editor.setPosition(model.getPositionAt(place.offset));
}

function selectionOffsets(editor: Monaco.IStandaloneCodeEditor, source: string): number[] {
  const model = editor.getModel();
  const selection = editor.getSelection();
  if (!model || !selection) return [0];
  const offsets = [model.getOffsetAt(selection.getStartPosition()), model.getOffsetAt(selection.getEndPosition())];
  return [...new Set(offsets)].map((offset) => sourceOffset(source, offset));
}

function atEdge(editor: Monaco.IStandaloneCodeEditor, direction: 'up' | 'down'): boolean {
  const model = editor.getModel();
  const selection = editor.getSelection();
  if (!model || !selection?.isEmpty()) return false;
  const { lineNumber, column } = selection.getStartPosition();
  // A wrapped line has several rows: what counts is whether the caret is on the first or the last one.
  const top = editor.getTopForPosition(lineNumber, column);
  const edge = direction === 'up' ? { lineNumber: 1, column: 1 } : model.getFullModelRange().getEndPosition();
  return top === editor.getTopForPosition(edge.lineNumber, edge.column);
}

/** Tab after a word asks for completions, as in Jupyter; elsewhere it indents. */
function completeOrIndent(editor: Monaco.IStandaloneCodeEditor, canComplete: boolean): void {
  const position = editor.getPosition();
  const before = position
    ? (editor
        .getModel()
        ?.getLineContent(position.lineNumber)
        .slice(0, position.column - 1) ?? '')
    : '';
  if (canComplete && /[\w.)\]%/]$/.test(before)) editor.trigger('keyboard', 'editor.action.triggerSuggest', {});
  else editor.trigger('keyboard', 'tab', {});
}
