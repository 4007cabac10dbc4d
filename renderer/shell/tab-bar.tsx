/**
 * The tabs of the open notebooks, and at the right what belongs to the one in front: run, interrupt, restart, kernel.
 */
import { NotebookText, X } from 'lucide-react';
import type { JSX, KeyboardEvent } from 'react';
import { useEffect, useRef } from 'react';
import { KernelControls } from '../kernel/kernel-controls.tsx';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { useDocument } from '../notebook/use-notebook.ts';
import { useApp } from './app.ts';
import { Hint } from './icon-button.tsx';
import { useStore } from './store.ts';
import styles from './tab-bar.module.css';

export function TabBar(): JSX.Element {
  const app = useApp();
  const { tabs, active } = useStore(app.workspace.state);
  return (
    <header className={styles.bar}>
      <div className={styles.tabs} role="tablist" aria-label="Open notebooks">
        {tabs.length === 0 && <span className={styles.name}>Cellwright</span>}
        {tabs.map((tab, index) => (
          <Tab key={tab.client.docId} tab={tab} index={index} active={tab === active} />
        ))}
      </div>
      {active && <KernelControls key={active.client.docId} controller={active} />}
    </header>
  );
}

function Tab({ tab, index, active }: { tab: NotebookController; index: number; active: boolean }): JSX.Element {
  const { workspace } = useApp();
  const document = useDocument(tab.client);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') workspace.activateBeside(event.key === 'ArrowRight' ? 1 : -1);
    if (event.key === 'Delete') void workspace.close(tab);
  };
  const state = document.saving ? 'saving' : document.dirty ? 'unsaved' : 'saved';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the work; this only carries dragging and the middle button
    <div
      ref={element}
      className={styles.tab}
      data-active={active}
      data-state={state}
      // The middle button closes, as in a browser.
      onAuxClick={(event) => event.button === 1 && void workspace.close(tab)}
      draggable
      onDragStart={(event) => event.dataTransfer.setData('application/x-cellwright-tab', document.docId)}
      onDragOver={(event) => event.dataTransfer.types.includes('application/x-cellwright-tab') && event.preventDefault()}
      onDrop={(event) => {
        const docId = event.dataTransfer.getData('application/x-cellwright-tab');
        const moved = workspace.state.get().tabs.find(({ client }) => client.docId === docId);
        if (moved) workspace.moveTab(moved, index);
      }}
    >
      <button
        type="button"
        role="tab"
        aria-selected={active}
        aria-controls="page"
        tabIndex={active ? 0 : -1}
        className={styles.open}
        title={document.path ?? 'Not saved yet'}
        onClick={() => workspace.enter(tab)}
        onKeyDown={onKeyDown}
      >
        <NotebookText size={14} strokeWidth={1.75} className={styles.icon} aria-hidden="true" />
        <span className={styles.title}>{document.title}</span>
        {document.readOnly && <span className={styles.badge}>read-only</span>}
      </button>
      <Hint label={state === 'unsaved' ? 'Unsaved changes. Close' : 'Close'} command="file.close">
        <button
          type="button"
          className={styles.close}
          aria-label={`Close ${document.title}`}
          tabIndex={-1}
          onClick={() => void workspace.close(tab)}
        >
          <span
            className={styles.dot}
            role="img"
            aria-label={state === 'unsaved' ? 'Unsaved changes' : state === 'saving' ? 'Saving' : 'Saved'}
          />
          <X size={14} strokeWidth={1.75} className={styles.cross} aria-hidden="true" />
        </button>
      </Hint>
    </div>
  );
}
