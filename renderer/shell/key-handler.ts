/**
 * Key presses to commands, before any part of the window sees them. The hard thing is to know whose key it is: the editor's, a field's, an
 * open menu's or dialog's, or the notebook's.
 */
import { useEffect } from 'react';
import { chordOf, matchChord } from '../notebook/keymap.ts';
import type { App } from './app.ts';

/** The second key of a pair (`D D`) must come within this many milliseconds. */
const PAIR_MS = 800;

/** Where the focus is, as the keymap has it; null: the keys belong to something that handles them itself. */
type Place = 'command' | 'edit' | 'app' | null;

function placeOf(app: App, target: EventTarget | null): Place {
  if (app.overlay.get() !== 'none' || app.questions.current.get()) return null;
  const element = target instanceof Element ? target : null;
  if (element?.closest('[role="menu"], [role="dialog"], [role="alertdialog"]')) return null;
  const tab = app.workspace.active;
  const nothingFocused = element === null || element === document.body;
  if (tab && (nothingFocused || element?.closest('[data-notebook]'))) {
    if (element?.closest('.monaco-editor')) return 'edit';
    if (element?.closest('input, textarea, select, [contenteditable]')) return 'app';
    return 'command';
  }
  return 'app';
}

/** Keys that a focused button, link or summary uses itself. */
function usesKey(target: EventTarget | null, chord: string): boolean {
  return (
    (chord === 'Enter' || chord === 'Space') && target instanceof Element && target.closest('button, a, summary, [role="button"]') !== null
  );
}

function editorListOpen(): boolean {
  return document.querySelector('.suggest-widget.visible') !== null;
}

export function useKeys(app: App): void {
  useEffect(() => {
    let pending: string | null = null;
    let pendingUntil = 0;

    const onKeyDown = (event: KeyboardEvent) => {
      const chord = chordOf(event);
      const place = placeOf(app, event.target);
      if (chord === null || place === null || event.isComposing || usesKey(event.target, chord)) return;
      const tab = app.workspace.active;
      if (place === 'command' && tab?.awaitsEditor) {
        stop(event);
        if (!tab.earlyKeys.keep(event)) tab.leave();
        return;
      }
      if (place === 'edit' && stepsOut(app, chord)) {
        stop(event);
        return;
      }
      const waiting = event.timeStamp < pendingUntil ? pending : null;
      const match = matchChord(chord, waiting, place, app.mac);
      pending = match.pending;
      pendingUntil = event.timeStamp + PAIR_MS;
      if (match.command === null) return;
      // Escape in the editor is the editor's first: it closes its own lists and only then leaves the cell.
      if (place === 'edit' && match.command === 'cell.leave' && chord === 'Escape') return;
      stop(event);
      app.commands.run(match.command);
    };

    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [app]);
}

function stepsOut(app: App, chord: string): boolean {
  if (chord !== 'ArrowUp' && chord !== 'ArrowDown') return false;
  return !editorListOpen() && (app.workspace.active?.stepOutOfEditor(chord === 'ArrowUp' ? 'up' : 'down') ?? false);
}

function stop(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
