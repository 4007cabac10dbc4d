/**
 * One image as large as the window allows, or pixel by pixel, with copy and save. Escape closes it, and the keyboard is then where it was; the
 * part that showed the image may be gone by then.
 */
import { Copy, Download, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { CSSProperties, JSX, KeyboardEvent } from 'react';
import { useRef, useState } from 'react';
import buttons from '../shell/button.module.css';
import dialog from '../shell/dialog.module.css';
import iconButton from '../shell/icon-button.module.css';
import { useReturnFocus } from '../shell/return-focus.ts';
import { useStore } from '../shell/store.ts';
import { copyImage, saveImage } from './image-actions.ts';
import paper from './image-output.module.css';
import styles from './image-viewer.module.css';
import { mimeWords } from './mime-choice.ts';
import { recall } from './view-state.ts';
import { type ViewedImage, viewedImage } from './viewed-image.ts';

type Size = { width: number; height: number };
type Scale = 'fit' | 'whole';

/** Pixels of an image are drawn at most this large to fill the window: more is only blur. A drawing has no pixels. */
const MOST_ENLARGED = 2;

/** `onLost` gets the keyboard when what opened the image is gone. */
export function ImageViewer({ onLost }: { onLost: () => void }): JSX.Element | null {
  const image = useStore(viewedImage);
  return image && <Viewer key={image.url} image={image} onLost={onLost} />;
}

function Viewer({ image, onLost }: { image: ViewedImage; onLost: () => void }): JSX.Element {
  const { url, mime, description, opener } = image;
  const returnFocus = useReturnFocus(onLost, opener);
  const [size, setSize] = useState<Size | null>(() => recall<Size>(`image/${url}`) ?? null);
  const [scale, setScale] = useState<Scale>('fit');
  const [said, setSaid] = useState('');
  const stage = useRef<HTMLElement>(null);
  const attempt = (action: Promise<void>, done: string): void => {
    action.then(
      () => setSaid(done),
      (error: unknown) => setSaid(error instanceof Error ? error.message : String(error)),
    );
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '0') setScale('fit');
    else if (event.key === '1') setScale('whole');
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && viewedImage.set(null)}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${styles.dialog}`}
          aria-describedby={undefined}
          onKeyDown={onKey}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            stage.current?.focus();
          }}
          onCloseAutoFocus={returnFocus}
        >
          <header className={styles.head}>
            <Dialog.Title className={styles.title} title={description}>
              {description || 'Image output'}
            </Dialog.Title>
            <span className={styles.facts}>{factsOf(mime, size)}</span>
            <span className={styles.said} role="status">
              {said}
            </span>
            <fieldset className={styles.scales} aria-label="Size">
              <ScaleButton scale="fit" label="Fit" keys="0" shown={scale} onChoose={setScale} />
              <ScaleButton scale="whole" label="100 %" keys="1" shown={scale} onChoose={setScale} />
            </fieldset>
            <button type="button" className={buttons.button} onClick={() => attempt(copyImage(url, mime), 'Copied.')}>
              <Copy aria-hidden size={14} strokeWidth={1.75} />
              Copy
            </button>
            <button type="button" className={buttons.button} onClick={() => attempt(saveImage(url, mime, 'output'), '')}>
              <Download aria-hidden size={14} strokeWidth={1.75} />
              Save as…
            </button>
            <Dialog.Close className={iconButton.button} aria-label="Close" title="Close">
              <X aria-hidden size={16} strokeWidth={1.75} />
            </Dialog.Close>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <section ref={stage} className={styles.stage} data-scale={scale} aria-label="Image" tabIndex={0}>
            <img
              className={`${styles.image} ${paper.paper}`}
              src={url}
              alt={description || 'Image output'}
              style={size === null ? undefined : dimensions(size, mime)}
              data-background={image.background ?? undefined}
              draggable={false}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize({ width: naturalWidth, height: naturalHeight })}
              onError={() => setSaid('This image is not there any more.')}
            />
          </section>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ScaleButtonProps {
  scale: Scale;
  label: string;
  keys: string;
  shown: Scale;
  onChoose: (scale: Scale) => void;
}

function ScaleButton({ scale, label, keys, shown, onChoose }: ScaleButtonProps): JSX.Element {
  return (
    <button
      type="button"
      className={styles.scale}
      aria-pressed={shown === scale}
      aria-keyshortcuts={keys}
      title={`Key ${keys}`}
      onClick={() => onChoose(scale)}
    >
      {label}
    </button>
  );
}

function factsOf(mime: string, size: Size | null): string {
  const kind = mimeWords(mime);
  return size === null || size.width === 0 ? kind : `${size.width} × ${size.height} · ${kind}`;
}

/** What the style sheet reckons with: the image's own size, and how much of it may be made larger. */
function dimensions({ width, height }: Size, mime: string): CSSProperties {
  if (width === 0 || height === 0) return {};
  const most = mime.startsWith('image/svg') ? Number.POSITIVE_INFINITY : MOST_ENLARGED * width;
  return {
    '--width': `${width}px`,
    '--ratio': String(width / height),
    '--most': Number.isFinite(most) ? `${most}px` : '100cqw',
  } as CSSProperties;
}
