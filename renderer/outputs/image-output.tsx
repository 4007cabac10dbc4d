/**
 * An image output. Its room is reserved before it is decoded (from the metadata, or from the last time it was shown), so that nothing
 * moves when it comes. A transparent image gets paper behind it in dark themes: plots are drawn for white paper.
 */
import type { JSX } from 'react';
import { memo, useState } from 'react';
import { byteWords } from './amounts.ts';
import type { ImageFacts } from './image-facts.ts';
import styles from './image-output.module.css';
import { mimeWords } from './mime-choice.ts';
import { OutputNote } from './output-note.tsx';
import { recall, remember } from './view-state.ts';

interface ImageOutputProps {
  url: string;
  mime: string;
  bytes: number;
  facts: ImageFacts;
  /** What the image shows, from the text beside it. */
  description: string;
  /** The address did not give an image. */
  onBroken?: () => void;
}

export const ImageOutput = memo(function ImageOutput(props: ImageOutputProps): JSX.Element {
  const { url, facts, onBroken } = props;
  const [isBroken, setBroken] = useState(false);
  const known = recall<{ width: number; height: number }>(`image/${url}`);
  if (isBroken) {
    const size = props.bytes > 0 ? `, ${byteWords(props.bytes)}` : '';
    return <OutputNote>{`This image can't be shown (${mimeWords(props.mime)}${size}). ${props.description}`.trim()}</OutputNote>;
  }
  return (
    <img
      className={styles.image}
      src={url}
      alt={props.description || 'Image output'}
      width={facts.width ?? (facts.height === null ? known?.width : undefined)}
      height={facts.height ?? (facts.width === null ? known?.height : undefined)}
      data-unconfined={facts.unconfined || undefined}
      data-background={facts.background ?? undefined}
      decoding="async"
      draggable={false}
      onLoad={({ currentTarget: image }) => remember(`image/${url}`, { width: image.naturalWidth, height: image.naturalHeight })}
      onError={() => (onBroken ? onBroken() : setBroken(true))}
    />
  );
});
