/** An image output with its own menu on the right button and on the menu key: copy and save. */
import { Copy, Download } from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import type { ComponentProps, JSX } from 'react';
import { useState } from 'react';
import { copyImage, saveImage } from './image-actions.ts';
import { ImageOutput } from './image-output.tsx';
import menu from './menu.module.css';
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
          <div className={menu.target}>
            <ImageOutput {...props} />
          </div>
        </ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content className={menu.content}>
            <ContextMenu.Item className={menu.item} onSelect={() => attempt(copyImage(props.url, props.mime))}>
              <Copy aria-hidden size={14} /> Copy image
            </ContextMenu.Item>
            <ContextMenu.Item className={menu.item} onSelect={() => attempt(saveImage(props.url, props.mime, 'output'))}>
              <Download aria-hidden size={14} /> Save image…
            </ContextMenu.Item>
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      {failure !== null && <OutputNote live>{failure}</OutputNote>}
    </>
  );
}
