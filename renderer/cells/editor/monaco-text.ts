/**
 * An editor's text model as the plain text that the binding works on.
 * While edits from elsewhere are put in, the model's own change event is not the person's and must not come back.
 */
import type { editor as Monaco } from 'monaco-editor/editor';
import type { EditableText, TextEdit } from './text-binding.ts';

export function monacoText(model: Monaco.ITextModel, editor: Monaco.IStandaloneCodeEditor): EditableText {
  let applying = false;
  return {
    value: () => model.getValue(),
    apply(edits, made) {
      applying = true;
      try {
        model.applyEdits(edits.map(({ start, end, text }) => ({ range: rangeAt(model, start, end), text })));
      } finally {
        applying = false;
      }
      const last = edits.at(-1);
      if (made === 'by-undo' && last && editor.hasTextFocus()) showCaret(model, editor, endAfter(edits, last));
    },
    onEdit(listener) {
      const subscription = model.onDidChangeContent(({ changes }) => {
        if (applying) return;
        listener(changes.map(({ rangeOffset, rangeLength, text }) => ({ start: rangeOffset, end: rangeOffset + rangeLength, text })));
      });
      return () => subscription.dispose();
    },
  };
}

function rangeAt(model: Monaco.ITextModel, start: number, end: number) {
  const from = model.getPositionAt(start);
  const to = model.getPositionAt(end);
  return { startLineNumber: from.lineNumber, startColumn: from.column, endLineNumber: to.lineNumber, endColumn: to.column };
}

/** Where the last edit ends once all of them are in. */
function endAfter(edits: readonly TextEdit[], last: TextEdit): number {
  const shift = edits.slice(0, -1).reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0);
  return last.start + shift + last.text.length;
}

function showCaret(model: Monaco.ITextModel, editor: Monaco.IStandaloneCodeEditor, offset: number): void {
  const position = model.getPositionAt(offset);
  editor.setPosition(position);
  editor.revealPosition(position);
}
