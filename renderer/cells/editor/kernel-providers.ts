/**
 * Completion and hover from the kernel. Registered once for every language; which kernel answers is looked up by the text model that asks.
 * A kernel that computes can't answer, so it is not asked: the answer would come long after the person has typed on.
 */
import type { editor, IRange, Position } from 'monaco-editor/editor';
import { languages } from 'monaco-editor/editor';
import { KERNEL_LANGUAGE_IDS } from './languages.ts';

export interface KernelHelp {
  /** False while the kernel computes or is not there. */
  ready(): boolean;
  complete(code: string, cursor: number): Promise<{ matches: { text: string; type: string }[]; start: number; end: number } | null>;
  inspect(code: string, cursor: number): Promise<string | null>;
}

const helpers = new WeakMap<editor.ITextModel, KernelHelp>();

export function setKernelHelp(model: editor.ITextModel, help: KernelHelp): void {
  helpers.set(model, help);
}

/** Kinds as Jedi and IPython name them, and what the list shows for them. */
const KINDS = new Map<string, keyof typeof languages.CompletionItemKind>(
  Object.entries({
    function: 'Function',
    method: 'Method',
    class: 'Class',
    module: 'Module',
    instance: 'Variable',
    statement: 'Variable',
    param: 'Property',
    property: 'Property',
    keyword: 'Keyword',
    magic: 'Event',
    path: 'File',
    'dict key': 'Field',
  } as const),
);

/** Longest explanation shown in a hover; help texts of large libraries run to hundreds of lines. */
const HOVER_LINES = 40;

export function registerKernelProviders(): void {
  const selector = [...KERNEL_LANGUAGE_IDS];
  languages.registerCompletionItemProvider(selector, { triggerCharacters: ['.', '%', '/'], provideCompletionItems });
  languages.registerHoverProvider(selector, { provideHover });
}

async function provideCompletionItems(model: editor.ITextModel, position: Position): Promise<languages.CompletionList> {
  const nothing: languages.CompletionList = { suggestions: [] };
  const help = helpers.get(model);
  if (!help?.ready()) return nothing;
  const code = model.getValue();
  const answer = await help.complete(code, model.getOffsetAt(position));
  if (!answer || model.isDisposed()) return nothing;
  // What was typed meanwhile stands after the range, and the list narrows itself by it.
  const range = rangeOf(model, answer.start, answer.end);
  const typed = code.slice(answer.start, answer.end);
  return {
    suggestions: answer.matches.map(({ text, type }, index) => ({
      label: text,
      kind: languages.CompletionItemKind[KINDS.get(type) ?? 'Variable'],
      insertText: text,
      // The kernel completes whole names (`df.head`); the list filters by what stands in the range.
      filterText: text.startsWith(typed) ? text : `${typed}${text}`,
      sortText: String(index).padStart(6, '0'),
      range,
    })),
  };
}

function rangeOf(model: editor.ITextModel, start: number, end: number): IRange {
  const from = model.getPositionAt(start);
  const to = model.getPositionAt(end);
  return { startLineNumber: from.lineNumber, startColumn: from.column, endLineNumber: to.lineNumber, endColumn: to.column };
}

async function provideHover(model: editor.ITextModel, position: Position): Promise<languages.Hover | null> {
  const help = helpers.get(model);
  const word = model.getWordAtPosition(position);
  if (!help?.ready() || !word) return null;
  const cursor = model.getOffsetAt({ lineNumber: position.lineNumber, column: word.endColumn });
  const text = await help.inspect(model.getValue(), cursor);
  if (!text || model.isDisposed()) return null;
  return {
    range: {
      startLineNumber: position.lineNumber,
      endLineNumber: position.lineNumber,
      startColumn: word.startColumn,
      endColumn: word.endColumn,
    },
    contents: [{ value: fenced(plain(text)) }],
  };
}

/** Kernels colour their help for a terminal. */
function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').trim();
}

function fenced(text: string): string {
  const lines = text.split('\n');
  const shown = lines.length > HOVER_LINES ? [...lines.slice(0, HOVER_LINES), `… ${lines.length - HOVER_LINES} more lines`] : lines;
  return `~~~text\n${shown.join('\n').replaceAll('~~~', '~ ~ ~')}\n~~~`;
}
