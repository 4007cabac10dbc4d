/** Chords on different layouts and platforms, and what they mean where the focus is. */
import { describe, expect, it } from 'vitest';
import type { KeyPress } from '../../../renderer/notebook/keymap.ts';
import { bindingOf, chordOf, KEYMAP, keyCaps, matchChord } from '../../../renderer/notebook/keymap.ts';

function press(key: string, code: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, code, ctrlKey: false, shiftKey: false, altKey: false, metaKey: false, ...held };
}

describe('chordOf', () => {
  it.each([
    ['a letter', press('a', 'KeyA'), 'A'],
    ['a capital', press('M', 'KeyM', { shiftKey: true }), 'Shift+M'],
    ['caps lock', press('D', 'KeyD'), 'D'],
    ['a Cyrillic layout', press('ф', 'KeyA'), 'A'],
    ['Dvorak: the letter counts, not its place', press('d', 'KeyH'), 'D'],
    ['a digit on a French layout', press('à', 'Digit0'), '0'],
    ['the number pad', press('0', 'Numpad0'), '0'],
    ['minus with Shift on a US layout', press('_', 'Minus', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+-'],
    ['minus with Shift on a German layout', press('_', 'Slash', { ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+-'],
    ['Enter', press('Enter', 'Enter', { shiftKey: true }), 'Shift+Enter'],
    ['Space', press(' ', 'Space'), 'Space'],
    ['Option on a Mac', press('å', 'KeyA', { altKey: true }), 'Alt+A'],
  ])('%s', (_, event, chord) => {
    expect(chordOf(event)).toBe(chord);
  });

  it('is nothing for a bare modifier or a dead key', () => {
    for (const key of ['Shift', 'Control', 'Alt', 'Meta', 'Dead', 'Process']) expect(chordOf(press(key, key))).toBeNull();
  });
});

describe('matchChord', () => {
  it('keeps letters for typing in edit mode and outside of a notebook', () => {
    for (const chord of ['A', 'B', 'X', 'D', 'Z', 'Shift+M', 'Delete', '0']) {
      expect(matchChord(chord, null, 'edit', false)).toEqual({ command: null, pending: null });
      expect(matchChord(chord, null, 'app', false)).toEqual({ command: null, pending: null });
    }
    expect(matchChord('A', null, 'command', false).command).toBe('cell.insertAbove');
  });

  it('waits for the second key of a pair', () => {
    const first = matchChord('D', null, 'command', false);
    expect(first).toEqual({ command: null, pending: 'D' });
    expect(matchChord('D', first.pending, 'command', false)).toEqual({ command: 'cell.delete', pending: null });
    expect(matchChord('0', '0', 'command', false).command).toBe('kernel.restart');
    expect(matchChord('I', 'I', 'command', false).command).toBe('kernel.interrupt');
  });

  it('takes a key that does not complete a pair for itself', () => {
    expect(matchChord('B', 'D', 'command', false)).toEqual({ command: 'cell.insertBelow', pending: null });
    expect(matchChord('0', 'D', 'command', false)).toEqual({ command: null, pending: '0' });
  });

  it('runs in both modes, and saves anywhere', () => {
    for (const place of ['command', 'edit'] as const) {
      expect(matchChord('Shift+Enter', null, place, false).command).toBe('run.advance');
      expect(matchChord('Ctrl+Enter', null, place, false).command).toBe('run.cell');
      expect(matchChord('Alt+Enter', null, place, false).command).toBe('run.insert');
    }
    expect(matchChord('Shift+Enter', null, 'app', false).command).toBeNull();
    for (const place of ['command', 'edit', 'app'] as const) expect(matchChord('Ctrl+S', null, place, false).command).toBe('file.save');
  });

  it('means Cmd on a Mac, where Ctrl+Enter still runs', () => {
    expect(matchChord('Meta+S', null, 'edit', true).command).toBe('file.save');
    expect(matchChord('Ctrl+S', null, 'edit', true).command).toBeNull();
    expect(matchChord('Ctrl+Enter', null, 'edit', true).command).toBe('run.cell');
    expect(matchChord('Meta+Enter', null, 'edit', true).command).toBe('run.cell');
  });
});

describe('the table', () => {
  it('gives no chord two meanings in one place', () => {
    const places = { command: ['command'], edit: ['edit'], notebook: ['command', 'edit'], app: ['command', 'edit', 'app'] };
    const seen = new Map<string, string>();
    for (const { keys, place, command } of KEYMAP) {
      for (const where of places[place]) {
        const other = seen.get(`${where} ${keys}`);
        expect(other === undefined || other === command, `${keys} in ${where}: ${other} and ${command}`).toBe(true);
        seen.set(`${where} ${keys}`, command);
      }
    }
  });

  it('shows keys as the platform writes them', () => {
    expect(keyCaps('Mod+Shift+P', false)).toEqual(['Ctrl', 'Shift', 'P']);
    expect(keyCaps('Mod+Shift+P', true)).toEqual(['⇧', '⌘', 'P']);
    expect(keyCaps('D D', false)).toEqual(['D', 'D']);
    expect(keyCaps('Ctrl+Shift+-', false)).toEqual(['Ctrl', 'Shift', '-']);
    expect(bindingOf('run.advance')?.keys).toBe('Shift+Enter');
    expect(bindingOf('run.above')).toBeNull();
  });
});
