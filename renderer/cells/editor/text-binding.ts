/**
 * Keeps an editor's text and a shared Y.Text equal, in both directions and by the smallest edits.
 * The hard thing is line ends: editors know one kind, but a source may hold `\r\n` or a lone `\r`, which must survive untouched. The editor
 * always has `\n`, offsets are mapped between the two, and only what is really edited changes.
 */
import type * as Y from 'yjs';

/** A replacement in UTF-16 offsets of the text before it. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** The editor's side: a text with `\n` line ends. */
export interface EditableText {
  value(): string;
  /** Applies edits that do not overlap, all in offsets of the present text. */
  apply(edits: readonly TextEdit[], made: 'elsewhere' | 'by-undo'): void;
  /** Reports edits of the person in offsets of the text before them; not those of `apply`. */
  onEdit(listener: (edits: readonly TextEdit[]) => void): () => void;
}

/** What the editor shows of a source. */
export function editorText(source: string): string {
  return source.replace(/\r\n?/g, '\n');
}

/** Offset in the source of an offset in the editor's text: each `\r\n` before it counts one more. */
export function sourceOffset(source: string, offset: number): number {
  if (!source.includes('\r\n')) return offset;
  let at = 0;
  for (let seen = 0; seen < offset && at < source.length; seen += 1) at += source.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

/** The single smallest replacement that makes `before` into `after`, never through the middle of a surrogate pair. */
export function smallestEdit(before: string, after: string): TextEdit | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  if (start > 0 && isHigh(before.charCodeAt(start - 1))) start -= 1;
  if (same > 0 && isLow(before.charCodeAt(before.length - same))) same -= 1;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A Yjs delta as edits in offsets of the text before it. */
export function editsOfDelta(delta: readonly { retain?: number; insert?: unknown; delete?: number }[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let at = 0;
  for (const part of delta) {
    const last = edits.at(-1);
    if (part.retain !== undefined) at += part.retain;
    else if (part.delete !== undefined) {
      if (last && last.end === at) last.end += part.delete;
      else edits.push({ start: at, end: at + part.delete, text: '' });
      at += part.delete;
    } else if (last && last.end === at) last.text += String(part.insert);
    else edits.push({ start: at, end: at, text: String(part.insert) });
  }
  return edits;
}

/** A lone `\r` that now stands before a `\n` would make one line end of two: it gives way to a `\n` of its own. */
function keepApart(source: Y.Text, at: number): void {
  if (at < 1 || source.toString().slice(at - 1, at + 1) !== '\r\n') return;
  source.delete(at - 1, 1);
  source.insert(at - 1, '\n');
  keepApart(source, at - 1);
}

export interface BindingOptions {
  /** Origin of this person's transactions, which the undo history follows. */
  origin: unknown;
  /** Tells undo's transactions from others', so that the caret can go where they changed something. */
  madeByUndo: (origin: unknown) => boolean;
}

/** Binds the two until the returned function is called. The editor's text is set to the source first. */
export function bindText(source: Y.Text, editor: EditableText, options: BindingOptions): () => void {
  const local = Symbol('typed here');
  let typing = false;
  const align = (made: 'elsewhere' | 'by-undo') => {
    const edit = smallestEdit(editor.value(), editorText(source.toString()));
    if (edit) editor.apply([edit], made);
  };
  align('elsewhere');
  let hasReturns = source.toString().includes('\r');

  const observer = (event: Y.YTextEvent, transaction: Y.Transaction) => {
    if (typing || transaction.meta.get(local) === true) return;
    const made = options.madeByUndo(transaction.origin) ? 'by-undo' : 'elsewhere';
    const brings = event.delta.some(({ insert }) => typeof insert === 'string' && insert.includes('\r'));
    if (!hasReturns && !brings) editor.apply(editsOfDelta(event.delta), made);
    else {
      align(made);
      hasReturns = source.toString().includes('\r');
    }
  };
  source.observe(observer);

  const stop = editor.onEdit((edits) => {
    const before = hasReturns ? source.toString() : '';
    const offset = (at: number) => (hasReturns ? sourceOffset(before, at) : at);
    typing = true;
    try {
      source.doc?.transact((transaction) => {
        transaction.meta.set(local, true);
        // From the end, so that the offsets of those before stay right.
        for (const { start, end, text } of [...edits].sort((a, b) => b.start - a.start)) {
          const from = offset(start);
          if (end > start) source.delete(from, offset(end) - from);
          if (text) source.insert(from, editorText(text));
          if (hasReturns) keepApart(source, from);
        }
      }, options.origin);
    } finally {
      typing = false;
    }
  });

  return () => {
    stop();
    source.unobserve(observer);
  };
}
