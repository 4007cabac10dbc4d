/**
 * An image that opens large when it is pressed, with its own menu on the right button and on the menu key. One that can't be shown is a note that
 * says so.
 */
import { Copy, Download, Maximize2 } from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import type { JSX } from 'react';
import { useRef, useState } from 'react';
import menu from '../shell/menu.module.css';
import { byteWords } from './amounts.ts';
import { copyImage, saveImage } from './image-actions.ts';
import type { ImageFacts } from './image-facts.ts';
import styles from './image-menu.module.css';
import { ImageOutput } from './image-output.tsx';
import { mimeWords } from './mime-choice.ts';
import { OutputNote } from './output-note.tsx';
import { viewedImage } from './viewed-image.ts';

interface ImageWithMenuProps {
  url: string;
  mime: string;
  /** 0 when that is not known. */
  bytes: number;
  facts: ImageFacts;
  /** What the image shows, from the text beside it. */
  description: string;
  /** Shows what the address gave in another way; without it a note takes the image's place. */
  onBroken?: () => void;
}

export function ImageWithMenu(props: ImageWithMenuProps): JSX.Element {
  const { url, mime, facts, description } = props;
  const [isBroken, setBroken] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  if (isBroken) {
    const size = props.bytes > 0 ? `, ${byteWords(props.bytes)}` : '';
    return <OutputNote>{`This image can't be shown (${mimeWords(mime)}${size}). ${description}`.trim()}</OutputNote>;
  }
  const open = (): void => {
    const opener = button.current;
    if (opener) viewedImage.set({ url, mime, description, background: facts.background, opener });
  };
  const attempt = (action: Promise<void>): void => {
    setFailure(null);
    action.catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)));
  };
  return (
    <>
      <ContextMenu.Root>
        <ContextMenu.Trigger asChild>
          <button
            ref={button}
            type="button"
            className={styles.target}
            aria-haspopup="dialog"
            aria-description="Opens larger"
            onClick={open}
          >
            <ImageOutput url={url} facts={facts} description={description} onBroken={props.onBroken ?? (() => setBroken(true))} />
          </button>
        </ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content className={menu.menu} collisionPadding={8} aria-label="Image">
            <Item icon={Maximize2} label="Open larger" onSelect={open} />
            <Item icon={Copy} label="Copy image" onSelect={() => attempt(copyImage(url, mime))} />
            <Item icon={Download} label="Save image…" onSelect={() => attempt(saveImage(url, mime, 'output'))} />
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      {failure !== null && <OutputNote live>{failure}</OutputNote>}
    </>
  );
}

function Item({ icon: Icon, label, onSelect }: { icon: typeof Copy; label: string; onSelect: () => void }): JSX.Element {
  return (
    <ContextMenu.Item className={menu.item} onSelect={onSelect}>
      <span className={menu.icon}>
        <Icon aria-hidden size={14} strokeWidth={1.75} />
      </span>
      <span className={menu.label}>{label}</span>
    </ContextMenu.Item>
  );
}
