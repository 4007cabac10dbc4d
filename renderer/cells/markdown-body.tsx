/**
 * A markdown cell: rendered, or its source while it is written. A double click or Enter opens it, running it renders it. A cell without
 * text stays open to be clicked.
 */
import type { JSX } from 'react';
import { useCallback } from 'react';
import { imageAddress } from '../../preload/image-address.ts';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import { headingAnchor } from '../notebook/outline.ts';
import { useDocument, useSource } from '../notebook/use-notebook.ts';
import { Markdown } from '../outputs/markdown.tsx';
import { useApp } from '../shell/app.ts';
import { parentFolder } from '../shell/files.ts';
import { useStorePart } from '../shell/store.ts';
import type { BodyProps } from './code-body.tsx';
import styles from './markdown-body.module.css';
import { SourceEditor } from './source-editor.tsx';

export function MarkdownBody({ controller, cellKey, mark }: BodyProps): JSX.Element {
  const asSource = useStorePart(controller.asSource, (keys) => keys.has(cellKey));
  if (!asSource) return <Rendered controller={controller} cellKey={cellKey} />;
  return (
    <SourceEditor
      controller={controller}
      cellKey={cellKey}
      mark={mark}
      language="markdown"
      wrap
      label="Markdown"
      placeholder="Markdown"
      helped={false}
    />
  );
}

function Rendered({ controller, cellKey }: { controller: NotebookController; cellKey: string }): JSX.Element {
  const app = useApp();
  const source = useSource(controller.client, cellKey);
  const { docId, path } = useDocument(controller.client);
  const folder = path === null ? null : parentFolder(path);
  const openLink = useCallback((href: string) => followLink(controller, href) || app.openLink(href, folder), [app, controller, folder]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what an address means depends on the folder
  const imageUrl = useCallback((written: string) => imageAddress(docId, cellKey, written), [docId, cellKey, folder]);
  return (
    // The keyboard's way to the same is Enter on the cell.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div className={styles.rendered} onDoubleClick={() => controller.edit(cellKey)}>
      {source.trim() === '' ? (
        <p className={styles.empty}>Empty markdown. Double-click to write.</p>
      ) : (
        <Markdown source={source} imageUrl={imageUrl} onOpenLink={openLink} />
      )}
    </div>
  );
}

/** Links to headings of the same notebook lead there. */
function followLink(controller: NotebookController, href: string): boolean {
  if (!href.startsWith('#')) return false;
  const wanted = decodeURIComponent(href.slice(1)).toLowerCase();
  const heading = controller.client.outline.find(({ text }) => headingAnchor(text).toLowerCase() === wanted);
  if (heading) controller.select(heading.key);
  return true;
}
