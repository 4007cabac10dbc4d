/**
 * One cell on the page: gutter, source, input field, outputs, and its buttons while the pointer or the focus is on it.
 * It draws itself again only for its own changes; the list above it passes nothing but the key and the place.
 */
import type { JSX, MouseEvent } from 'react';
import { memo, useEffect, useRef } from 'react';
import { CellAgents } from '../agents/cell-agents.tsx';
import { cellMark } from '../notebook/mode.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useKind, useRun } from '../notebook/use-notebook.ts';
import { ErrorBoundary } from '../shell/error-boundary.tsx';
import { useStorePart } from '../shell/store.ts';
import styles from './cell.module.css';
import { CellGutter } from './cell-gutter.tsx';
import { CellToolbar } from './cell-toolbar.tsx';
import { cellLabel } from './cell-words.ts';
import { CodeBody } from './code-body.tsx';
import { MarkdownBody } from './markdown-body.tsx';
import { RawBody } from './raw-body.tsx';

export interface CellProps {
  controller: NotebookController;
  cellKey: string;
  index: number;
  count: number;
}

export const Cell = memo(function Cell({ controller, cellKey, index, count }: CellProps): JSX.Element | null {
  const { client } = controller;
  const kind = useKind(client, cellKey);
  const run = useRun(client, cellKey);
  const mark = useStorePart(controller.mode, (state) => cellMark(state, cellKey, client.keys));
  const active = mark === 'command' || mark === 'edit';
  // One toolbar at a time: that of the cell under the pointer before that of the active one.
  const pointer = useStorePart(controller.page.pointed, (key) =>
    key === cellKey ? 'here' : active && key !== null ? 'elsewhere' : 'away',
  );
  const many = useStorePart(controller.mode, (state) => state.mode === 'command' && state.anchor !== state.active);
  const element = useRef<HTMLElement>(null);
  useCommandFocus(element, controller, cellKey, mark === 'command');
  if (!kind) return null;

  const select = (event: MouseEvent) => {
    if (event.button !== 0) return;
    if (event.shiftKey) {
      event.preventDefault();
      controller.extendTo(cellKey);
    } else if (!(event.target instanceof Element) || !event.target.closest('button, a, input, textarea, .monaco-editor, [role="menu"]')) {
      controller.select(cellKey, { focus: false });
    }
  };
  const Body = kind.type === 'code' ? CodeBody : kind.type === 'markdown' ? MarkdownBody : RawBody;
  return (
    <article
      ref={element}
      className={styles.cell}
      data-cell-key={cellKey}
      data-cell-index={index}
      data-type={kind.type}
      data-mark={mark}
      data-many={many && mark !== 'none'}
      data-run={run.state}
      tabIndex={active ? 0 : -1}
      aria-label={cellLabel(kind.type, index, count, run)}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-current={active}
      onMouseDown={select}
    >
      <div className={styles.bar} aria-hidden="true" />
      <CellGutter controller={controller} cellKey={cellKey} type={kind.type} run={run} />
      <CellAgents docId={client.docId} cellKey={cellKey} run={run.state} />
      <div className={styles.body}>
        <ErrorBoundary what="This cell">
          <Body controller={controller} cellKey={cellKey} kind={kind} run={run} mark={mark} />
        </ErrorBoundary>
      </div>
      {(pointer === 'here' || active) && <CellToolbar controller={controller} cellKey={cellKey} kind={kind} run={run} pointer={pointer} />}
    </article>
  );
});

/** In command mode the cell itself has the keyboard's focus, once for every time it was asked for. */
function useCommandFocus(
  element: { current: HTMLElement | null },
  controller: NotebookController,
  cellKey: string,
  command: boolean,
): void {
  const request = useStorePart(controller.mode, (state) => (state.active === cellKey ? state.focusRequest : 0));
  useEffect(() => {
    if (!command || request <= controller.page.focusServed) return;
    controller.page.focusServed = request;
    element.current?.focus({ preventScroll: true });
  }, [element, controller, command, request]);
}
