/**
 * The keys, as one table: chord, where it counts, command. Menus, palette, hints and the key handler all read it, so they can't disagree.
 * Pure. The hard thing is telling keys apart on every layout: letters and digits fall back to their place on the keyboard.
 */
import type { CommandId } from '../shell/command-ids.ts';

/** `command` and `edit`: only in that mode of a notebook. `notebook`: in both. `app`: anywhere in the window. */
export type KeyPlace = 'command' | 'edit' | 'notebook' | 'app';

export interface KeyBinding {
  /** One chord, or two that follow each other (`D D`). `Mod` is Ctrl, and Cmd on a Mac. */
  keys: string;
  place: KeyPlace;
  command: CommandId;
}

const bind = (place: KeyPlace, keys: string, command: CommandId): KeyBinding => ({ place, keys, command });

export const KEYMAP: readonly KeyBinding[] = [
  // Running, as in Jupyter.
  bind('notebook', 'Shift+Enter', 'run.advance'),
  bind('notebook', 'Ctrl+Enter', 'run.cell'),
  bind('notebook', 'Mod+Enter', 'run.cell'),
  bind('notebook', 'Alt+Enter', 'run.insert'),
  bind('command', 'I I', 'kernel.interrupt'),
  bind('command', '0 0', 'kernel.restart'),
  // Modes and selection.
  bind('command', 'Enter', 'cell.edit'),
  bind('edit', 'Escape', 'cell.leave'),
  bind('edit', 'Ctrl+M', 'cell.leave'),
  bind('command', 'ArrowUp', 'select.previous'),
  bind('command', 'K', 'select.previous'),
  bind('command', 'ArrowDown', 'select.next'),
  bind('command', 'J', 'select.next'),
  bind('command', 'Shift+ArrowUp', 'select.extendUp'),
  bind('command', 'Shift+K', 'select.extendUp'),
  bind('command', 'Shift+ArrowDown', 'select.extendDown'),
  bind('command', 'Shift+J', 'select.extendDown'),
  bind('command', 'Home', 'select.first'),
  bind('command', 'End', 'select.last'),
  bind('command', 'Mod+A', 'select.all'),
  // Cell operations.
  bind('command', 'A', 'cell.insertAbove'),
  bind('command', 'B', 'cell.insertBelow'),
  bind('command', 'X', 'cell.cut'),
  bind('command', 'C', 'cell.copy'),
  bind('command', 'V', 'cell.paste'),
  bind('command', 'Shift+V', 'cell.pasteAbove'),
  bind('command', 'D D', 'cell.delete'),
  bind('command', 'Delete', 'cell.delete'),
  bind('command', 'Backspace', 'cell.delete'),
  bind('command', 'Alt+ArrowUp', 'cell.moveUp'),
  bind('command', 'Alt+ArrowDown', 'cell.moveDown'),
  bind('command', 'Shift+M', 'cell.merge'),
  bind('edit', 'Ctrl+Shift+-', 'cell.split'),
  bind('command', 'Y', 'cell.toCode'),
  bind('command', 'M', 'cell.toMarkdown'),
  bind('command', 'R', 'cell.toRaw'),
  bind('command', 'O', 'cell.toggleOutputs'),
  bind('command', 'L', 'view.lineNumbers'),
  // Undo is the person's own, over text and cells alike.
  bind('command', 'Z', 'edit.undo'),
  bind('command', 'Shift+Z', 'edit.redo'),
  bind('notebook', 'Mod+Z', 'edit.undo'),
  bind('notebook', 'Mod+Shift+Z', 'edit.redo'),
  bind('notebook', 'Ctrl+Y', 'edit.redo'),
  // The window.
  bind('app', 'Mod+S', 'file.save'),
  bind('app', 'Mod+Shift+S', 'file.saveAs'),
  bind('app', 'Mod+N', 'file.new'),
  bind('app', 'Mod+O', 'file.open'),
  bind('app', 'Mod+W', 'file.close'),
  bind('app', 'Mod+Shift+P', 'view.palette'),
  bind('command', 'P', 'view.palette'),
  bind('command', 'H', 'view.palette'),
  bind('app', 'Mod+B', 'view.sideBar'),
  bind('app', 'Ctrl+Tab', 'view.nextTab'),
  bind('app', 'Ctrl+Shift+Tab', 'view.previousTab'),
  bind('app', 'Ctrl+PageDown', 'view.nextTab'),
  bind('app', 'Ctrl+PageUp', 'view.previousTab'),
];

export interface KeyPress {
  key: string;
  code: string;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

/** Keys that only modify others are no chord. */
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified']);

/** A key press as a chord in canonical order (`Ctrl+Alt+Shift+Meta+Key`), or null for a bare modifier or a half-composed character. */
export function chordOf(press: KeyPress): string | null {
  if (MODIFIERS.has(press.key)) return null;
  const parts = [press.ctrlKey && 'Ctrl', press.altKey && 'Alt', press.shiftKey && 'Shift', press.metaKey && 'Meta'].filter(Boolean);
  return [...parts, baseKey(press)].join('+');
}

function baseKey({ key, code }: KeyPress): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  // A Cyrillic or Greek layout, or Alt on a Mac: the letter that is printed there on a Latin keyboard.
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter && key.length === 1) return letter;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code)?.[1];
  if (digit && key.length === 1) return digit;
  if (code === 'Minus' || key === '-' || key === '_') return '-';
  return key === ' ' ? 'Space' : key;
}

/** A chord as written in the table, made canonical for one platform. */
function canonicalChord(chord: string, mac: boolean): string {
  const parts = chord.split('+');
  const base = parts.pop()!;
  const held = new Set(parts.map((part) => (part === 'Mod' ? (mac ? 'Meta' : 'Ctrl') : part)));
  return [...['Ctrl', 'Alt', 'Shift', 'Meta'].filter((name) => held.has(name)), base].join('+');
}

export interface KeyMatch {
  command: CommandId | null;
  /** First half of a two-chord binding that waits for the second; null when nothing waits. */
  pending: string | null;
}

/**
 * What a chord means where the focus is. `pending` is the chord that the last call left waiting, if it came within the time limit.
 * `place` is where the focus is: a notebook's mode, or `app` for everything else.
 */
export function matchChord(chord: string, pending: string | null, place: 'command' | 'edit' | 'app', mac: boolean): KeyMatch {
  const counts = (binding: KeyBinding) =>
    binding.place === 'app' || binding.place === place || (binding.place === 'notebook' && place !== 'app');
  const sequence = pending === null ? null : `${pending} ${chord}`;
  let waits = false;
  for (const binding of KEYMAP) {
    if (!counts(binding)) continue;
    const chords = binding.keys.split(' ').map((part) => canonicalChord(part, mac));
    if (sequence !== null && chords.join(' ') === sequence) return { command: binding.command, pending: null };
    if (chords.length === 1 && chords[0] === chord) return { command: binding.command, pending: null };
    if (chords.length === 2 && chords[0] === chord) waits = true;
  }
  return { command: null, pending: waits ? chord : null };
}

const MAC_SIGNS: Record<string, string> = { Meta: '⌘', Shift: '⇧', Alt: '⌥', Ctrl: '⌃' };
const KEY_SIGNS: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Enter: '↵',
  Backspace: '⌫',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
};

/** The keys of one binding as a person reads them, one string per key cap: `['Ctrl', 'S']`, `['D', 'D']`. */
export function keyCaps(keys: string, mac: boolean): string[] {
  return keys.split(' ').flatMap((chord) =>
    canonicalChord(chord, mac)
      .split(/\+(?=.)/)
      .map((part) => (mac ? MAC_SIGNS[part] : undefined) ?? KEY_SIGNS[part] ?? part),
  );
}

/** The first binding of a command: the one that menus and the palette show. */
export function bindingOf(command: CommandId): KeyBinding | null {
  return KEYMAP.find((binding) => binding.command === command) ?? null;
}
