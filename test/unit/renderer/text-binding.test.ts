/**
 * Editor text and shared text stay equal, whoever edits, and line ends that the editor does not know survive. The editor here is a plain
 * string with the same promise as the real one: edits in offsets of the text before them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { EditableText, TextEdit } from '../../../renderer/cells/editor/text-binding.ts';
import { bindText, editorText, editsOfDelta, smallestEdit, sourceOffset } from '../../../renderer/cells/editor/text-binding.ts';

class StringEditor implements EditableText {
  text = '';
  readonly applied: { edits: readonly TextEdit[]; made: string }[] = [];
  #listener: ((edits: readonly TextEdit[]) => void) | null = null;

  value(): string {
    return this.text;
  }

  apply(edits: readonly TextEdit[], made: 'elsewhere' | 'by-undo'): void {
    this.applied.push({ edits, made });
    this.#put(edits);
  }

  onEdit(listener: (edits: readonly TextEdit[]) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = null;
    };
  }

  /** The person's edit; several at once are several carets. */
  type(...edits: TextEdit[]): void {
    this.#put(edits);
    this.#listener?.(edits);
  }

  #put(edits: readonly TextEdit[]): void {
    for (const { start, end, text } of [...edits].sort((a, b) => b.start - a.start)) {
      this.text = this.text.slice(0, start) + editorText(text) + this.text.slice(end);
    }
  }
}

const PERSON = { name: 'person' };

function bound(source: string) {
  const doc = new Y.Doc();
  const text = doc.getText('source');
  text.insert(0, source);
  const undo = new Y.UndoManager(text, { trackedOrigins: new Set([PERSON]), captureTimeout: 0 });
  const editor = new StringEditor();
  const unbind = bindText(text, editor, { origin: PERSON, madeByUndo: (origin) => origin === undo });
  editor.applied.length = 0;
  return { doc, text, undo, editor, unbind };
}

describe('bindText', () => {
  it('writes what is typed, at several carets too, with the origin of the person', () => {
    const { text, editor, doc } = bound('one\ntwo');
    const origins: unknown[] = [];
    doc.on('afterTransaction', (transaction: Y.Transaction) => origins.push(transaction.origin));
    editor.type({ start: 0, end: 0, text: '# ' }, { start: 4, end: 4, text: '# ' });
    expect(text.toString()).toBe('# one\n# two');
    editor.type({ start: 2, end: 5, text: '1' });
    expect(text.toString()).toBe('# 1\n# two');
    expect(origins).toEqual([PERSON, PERSON]);
    expect(editor.applied).toEqual([]);
  });

  it('shows edits from elsewhere by their delta alone', () => {
    const { text, editor, doc } = bound('abcdef');
    doc.transact(() => {
      text.delete(1, 2);
      text.insert(3, 'XY');
    }, 'agent');
    expect(editor.text).toBe(text.toString());
    expect(editor.applied).toEqual([
      {
        made: 'elsewhere',
        edits: [
          { start: 1, end: 3, text: '' },
          { start: 5, end: 5, text: 'XY' },
        ],
      },
    ]);
  });

  it('tells undo from others', () => {
    const { editor, undo, text } = bound('a');
    editor.type({ start: 1, end: 1, text: 'b' });
    undo.undo();
    expect(text.toString()).toBe('a');
    expect(editor.text).toBe('a');
    expect(editor.applied.map(({ made }) => made)).toEqual(['by-undo']);
  });

  it('stops when it is told to', () => {
    const { editor, text, unbind } = bound('a');
    unbind();
    editor.type({ start: 1, end: 1, text: 'b' });
    text.insert(0, 'z');
    expect([text.toString(), editor.text]).toEqual(['za', 'ab']);
  });

  it('keeps line ends that were not touched', () => {
    const { text, editor } = bound('a\r\nb\r\nc\rd\n');
    expect(editor.text).toBe('a\nb\nc\nd\n');
    editor.type({ start: 4, end: 5, text: 'C!' });
    expect(text.toString()).toBe('a\r\nb\r\nC!\rd\n');
    editor.type({ start: 1, end: 2, text: '' });
    expect(text.toString()).toBe('ab\r\nC!\rd\n');
    expect(editor.text).toBe(editorText(text.toString()));
  });

  it('writes only line feeds', () => {
    const { text, editor } = bound('x');
    editor.type({ start: 1, end: 1, text: '\r\ny\rz' });
    expect(text.toString()).toBe('x\ny\nz');
  });

  it('does not take U+2028, U+0085 or a form feed for a line end', () => {
    const { text, editor } = bound('a\u2028b\u0085c\fd');
    expect(editor.text).toBe('a\u2028b\u0085c\fd');
    editor.type({ start: 7, end: 7, text: '!' });
    expect(text.toString()).toBe('a\u2028b\u0085c\fd!');
  });

  it('stays equal whatever is edited on both sides', () => {
    const piece = fc.stringMatching(/^[ab\n\r]{0,4}$/);
    const edit = fc.record({ here: fc.boolean(), at: fc.nat(40), length: fc.nat(4), text: piece });
    fc.assert(
      fc.property(fc.stringMatching(/^[ab\n\r]{0,20}$/), fc.array(edit, { maxLength: 20 }), (source, edits) => {
        const { text, editor } = bound(source);
        for (const { here, at, length, text: inserted } of edits) {
          const size = here ? editor.text.length : text.length;
          const start = Math.min(at, size);
          const end = Math.min(start + length, size);
          if (here) editor.type({ start, end, text: inserted });
          else {
            if (end > start) text.delete(start, end - start);
            text.insert(start, inserted);
          }
          expect(editor.text).toBe(editorText(text.toString()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('lets two people type in one cell and both keep their words', () => {
    const here = bound('start');
    const there = new Y.Doc();
    Y.applyUpdate(there, Y.encodeStateAsUpdate(here.doc));
    here.editor.type({ start: 5, end: 5, text: ' here' });
    there.getText('source').insert(0, 'there ');
    Y.applyUpdate(here.doc, Y.encodeStateAsUpdate(there));
    Y.applyUpdate(there, Y.encodeStateAsUpdate(here.doc));
    expect(here.editor.text).toBe('there start here');
    expect(there.getText('source').toString()).toBe('there start here');
  });
});

describe('offsets and edits', () => {
  it('counts a CRLF as one character of the editor', () => {
    expect([0, 1, 2, 3, 4].map((offset) => sourceOffset('a\r\nb\r\n', offset))).toEqual([0, 1, 3, 4, 6]);
    expect(sourceOffset('a\rb', 2)).toBe(2);
  });

  it('makes the smallest edit and never halves a character', () => {
    expect(smallestEdit('hello', 'help!')).toEqual({ start: 3, end: 5, text: 'p!' });
    expect(smallestEdit('same', 'same')).toBeNull();
    expect(smallestEdit('a😀b', 'a😁b')).toEqual({ start: 1, end: 3, text: '😁' });
    expect(smallestEdit('aa', 'aaa')).toEqual({ start: 2, end: 2, text: 'a' });
  });

  it('joins what a delta does at one place', () => {
    expect(editsOfDelta([{ retain: 2 }, { insert: 'x' }, { delete: 3 }, { retain: 1 }, { delete: 1 }])).toEqual([
      { start: 2, end: 5, text: 'x' },
      { start: 6, end: 7, text: '' },
    ]);
  });
});
