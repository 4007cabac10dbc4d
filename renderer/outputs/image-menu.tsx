/** An image output with its own menu on the right button and on the menu key: copy and save. */
import { Copy, Download } from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import type { ComponentProps, JSX } from 'react';
import { useState } from 'react';
import menu from '../shell/menu.module.css';
import { copyImage, saveImage } from './image-actions.ts';
import styles from './image-menu.module.css';
import { ImageOutput } from './image-output.tsx';
import { OutputNote } from './output-note.tsx';

export function ImageWithMenu(props: ComponentProps<typeof ImageOutput>): JSX.Element {
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = (action: Promise<void>): void => {
    setFailure(null);
    action.catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)));
  };
  return (
    <>
      <ContextMenu.Root>
        <ContextMenu.Trigger asChild>
          <div className={styles.target}>
            <ImageOutput {...props} />
          </div>
        </ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content className={menu.menu} collisionPadding={8} aria-label="Image">
            <ContextMenu.Item className={menu.item} onSelect={() => attempt(copyImage(props.url, props.mime))}>
              <span className={menu.icon}>
                <Copy aria-hidden size={14} strokeWidth={1.75} />
              </span>
              <span className={menu.label}>Copy image</span>
            </ContextMenu.Item>
            <ContextMenu.Item className={menu.item} onSelect={() => attempt(saveImage(props.url, props.mime, 'output'))}>
              <span className={menu.icon}>
                <Download aria-hidden size={14} strokeWidth={1.75} />
              </span>
              <span className={menu.label}>Save image…</span>
            </ContextMenu.Item>
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      {failure !== null && <OutputNote live>{failure}</OutputNote>}
    </>
  );
}
