/**
 * A cell's source: static text that gives way to a lent editor when the cell is typed into, or when the pointer rests on it, so that the
 * first click already lands in a real editor. The two lie on each other; nothing may move or blink when they change places.
 */
import type { JSX, MouseEvent } from 'react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { CellMark } from '../notebook/mode.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useSource } from '../notebook/use-notebook.ts';
import { useApp } from '../shell/app.ts';
import { useStore, useStorePart } from '../shell/store.ts';
import type { CellEditor } from './editor/cell-editor.ts';
import { offsetAtPoint } from './editor/point-offset.ts';
import { StaticSource } from './editor/static-source.tsx';
import { editorLibrary, tokenizerVersion } from './editor/tokenizer.ts';
import styles from './source-editor.module.css';

export interface SourceEditorProps {
  controller: NotebookController;
  cellKey: string;
  mark: CellMark;
  language: string;
  wrap: boolean;
  label: string;
  placeholder: string;
  /** The kernel completes and explains what is typed here. */
  helped: boolean;
}

export function SourceEditor(props: SourceEditorProps): JSX.Element {
  const { controller, cellKey, mark } = props;
  const app = useApp();
  const lineNumbers = useStorePart(app.layout, (layout) => layout.lineNumbers);
  const host = useRef<HTMLDivElement>(null);
  const rests = useStorePart(controller.page.restedOn, (key) => key === cellKey);
  const attached = useLentEditor(host, props, mark === 'edit' || rests, lineNumbers);
  useFocus(attached, controller, cellKey, mark);
  return (
    <div className={styles.host} ref={host} data-source>
      {attached === null && <Static {...props} lineNumbers={lineNumbers} />}
    </div>
  );
}

function Static({
  controller,
  cellKey,
  language,
  wrap,
  placeholder,
  lineNumbers,
}: SourceEditorProps & { lineNumbers: boolean }): JSX.Element {
  const source = useSource(controller.client, cellKey);
  const text = useRef<HTMLPreElement>(null);
  const enter = (event: MouseEvent) => {
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey) return;
    // A click before the editor was there: the caret goes where it would have gone.
    event.preventDefault();
    event.stopPropagation();
    const offset = text.current ? offsetAtPoint(text.current, event.clientX, event.clientY) : null;
    controller.edit(cellKey, offset === null ? 'end' : { offset: Math.min(offset, source.length) });
  };
  return (
    // Keys reach the cell by Enter; the click is the pointer's way to the same.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div onMouseDown={enter}>
      <StaticSource source={source} language={language} wrap={wrap} lineNumbers={lineNumbers} placeholder={placeholder} ref={text} />
    </div>
  );
}

/** Lends an editor to the cell while `wanted`. */
function useLentEditor(
  host: { current: HTMLDivElement | null },
  props: SourceEditorProps,
  wanted: boolean,
  lineNumbers: boolean,
): CellEditor | null {
  const { controller, cellKey, language, wrap, label, helped } = props;
  const { client } = controller;
  // Grows when the library has come; until then cells stay static.
  useStore(tokenizerVersion);
  const library = editorLibrary();
  const subscribe = useCallback((listener: () => void) => client.on(`source:${cellKey}`, listener), [client, cellKey]);
  const text = useSyncExternalStore(subscribe, () => client.text(cellKey));
  const [editor, setEditor] = useState<CellEditor | null>(null);
  const initial = useRef({ language, lineNumbers, label });
  initial.current = { language, lineNumbers, label };

  useLayoutEffect(() => {
    const element = host.current;
    if (!wanted || !library || !text || !element) return;
    const lent = library.lendEditor({
      ...initial.current,
      host: element,
      text,
      wrap,
      origin: client.origin,
      madeByUndo: (origin) => client.undo.made(origin),
      help: helped ? controller.kernel.help : null,
      caret: controller.page.carets.get(cellKey) ?? null,
      onFocus: () => controller.editorFocused(cellKey),
      onLeave: () => controller.leave(),
      onCaret: (top, bottom, offset) => {
        controller.page.carets.set(cellKey, offset);
        controller.page.list?.revealLine(top, bottom);
      },
    });
    const unregister = controller.registerEditor(cellKey, lent);
    setEditor(lent);
    return () => {
      unregister();
      lent.dispose();
      element.style.height = '';
      setEditor(null);
    };
  }, [wanted, library, text, wrap, helped, client, controller, cellKey, host]);

  useEffect(() => editor?.setLanguage(language), [editor, language]);
  useEffect(() => editor?.setLineNumbers(lineNumbers), [editor, lineNumbers]);
  return editor;
}

/** Takes the keyboard's focus when it was asked for, and only then. */
function useFocus(editor: CellEditor | null, controller: NotebookController, cellKey: string, mark: CellMark): void {
  const { mac } = useApp();
  const request = useStorePart(controller.mode, (state) => (state.active === cellKey ? state.focusRequest : 0));
  useEffect(() => {
    if (!editor || mark !== 'edit' || request <= controller.page.focusServed) return;
    controller.page.focusServed = request;
    editor.focus(controller.page.caret);
    controller.page.caret = 'keep';
    controller.earlyKeys.replay({ hasFocus: editor.hasFocus, type: editor.type, press: pressAgain }, mac);
  }, [editor, controller, mark, request, mac]);
}

function pressAgain(press: KeyboardEvent): void {
  (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', press));
}
