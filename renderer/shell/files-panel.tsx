/**
 * The files of one folder as a tree. A folder is read when it is opened, and again on every opening, so what it shows is never older than
 * the person's last click on it.
 */
import { ChevronRight, FileText, FolderOpen, NotebookText, RefreshCw } from 'lucide-react';
import type { JSX, KeyboardEvent } from 'react';
import { useCallback, useEffect, useState } from 'react';
import type { FileEntry } from '../../preload/contract.ts';
import { useApp } from './app.ts';
import { folderName, sortedEntries } from './files.ts';
import styles from './files-panel.module.css';
import { IconButton } from './icon-button.tsx';
import panel from './panel.module.css';
import { useStore } from './store.ts';

export function FilesPanel(): JSX.Element {
  const app = useApp();
  const folder = useStore(app.folder);
  const [reading, setReading] = useState(0);
  return (
    <section className={panel.panel} aria-label="Files">
      <header className={panel.head}>
        <h2 className={panel.title} title={folder ?? ''}>
          {folder === null ? 'Files' : folderName(folder)}
        </h2>
        <div className={panel.actions}>
          <IconButton icon={RefreshCw} size={14} label="Read the folder again" onClick={() => setReading((count) => count + 1)} />
          <IconButton icon={FolderOpen} size={14} label="Show another folder" onClick={() => app.commands.run('file.openFolder')} />
        </div>
      </header>
      <div className={panel.list} role="tree" aria-label="Files">
        {folder !== null && <Entries key={`${folder} ${reading}`} folder={folder} depth={0} />}
      </div>
    </section>
  );
}

type Listing = { state: 'reading' } | { state: 'failed'; message: string } | { state: 'read'; entries: readonly FileEntry[] };

function Entries({ folder, depth }: { folder: string; depth: number }): JSX.Element | null {
  const app = useApp();
  const [listing, setListing] = useState<Listing>({ state: 'reading' });
  useEffect(() => {
    let current = true;
    void app.bridge.call('files.list', { folder }).then((answer) => {
      if (!current) return;
      setListing(answer.ok ? { state: 'read', entries: sortedEntries(answer.value) } : { state: 'failed', message: answer.error.message });
    });
    return () => {
      current = false;
    };
  }, [app, folder]);
  const indent = { paddingLeft: 8 + depth * 12 };
  if (listing.state === 'reading') return null;
  if (listing.state === 'failed')
    return (
      <p className={panel.empty} style={indent}>
        {listing.message}
      </p>
    );
  if (listing.entries.length === 0)
    return (
      <p className={panel.empty} style={indent}>
        Nothing here
      </p>
    );
  return (
    <>
      {listing.entries.map((entry) =>
        entry.kind === 'folder' ? (
          <Folder key={entry.path} entry={entry} depth={depth} />
        ) : (
          <File key={entry.path} entry={entry} depth={depth} />
        ),
      )}
    </>
  );
}

function Folder({ entry, depth }: { entry: FileEntry; depth: number }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        role="treeitem"
        aria-expanded={open}
        aria-level={depth + 1}
        className={panel.row}
        style={{ paddingLeft: 4 + depth * 12 }}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => stepRow(event, { open, setOpen })}
      >
        <ChevronRight size={14} className={styles.chevron} data-open={open} aria-hidden="true" />
        <span className={panel.name}>{entry.name}</span>
      </button>
      {open && <Entries folder={entry.path} depth={depth + 1} />}
    </>
  );
}

function File({ entry, depth }: { entry: FileEntry; depth: number }): JSX.Element {
  const app = useApp();
  const { active } = useStore(app.workspace.state);
  const notebook = entry.kind === 'notebook';
  const open = useCallback(() => {
    if (notebook) void app.workspace.open(entry.path);
  }, [app, entry.path, notebook]);
  const Icon = notebook ? NotebookText : FileText;
  return (
    <button
      type="button"
      role="treeitem"
      aria-level={depth + 1}
      aria-current={active?.client.document.path === entry.path}
      aria-disabled={!notebook}
      className={panel.row}
      style={{ paddingLeft: 4 + depth * 12 }}
      title={notebook ? entry.path : `${entry.name} is not a notebook`}
      onClick={open}
      onKeyDown={(event) => stepRow(event)}
    >
      <Icon size={14} strokeWidth={1.75} className={styles.icon} data-kind={entry.kind} aria-hidden="true" />
      <span className={panel.name}>{entry.name}</span>
    </button>
  );
}

/** Arrow keys in the tree: up and down over all rows that are shown, right and left open and close. */
function stepRow(event: KeyboardEvent<HTMLElement>, folder?: { open: boolean; setOpen: (open: boolean) => void }): void {
  if (event.key === 'ArrowRight' && folder) folder.setOpen(true);
  else if (event.key === 'ArrowLeft' && folder) folder.setOpen(false);
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const rows = [...(event.currentTarget.closest('[role="tree"]')?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    rows[rows.indexOf(event.currentTarget) + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
    event.preventDefault();
  }
}
