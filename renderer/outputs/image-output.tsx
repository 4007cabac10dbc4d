/**
 * An image output. Its room is reserved before it is decoded (from the metadata, or from the last time it was shown), so that nothing
 * moves when it comes. A transparent image gets paper behind it in dark themes: plots are drawn for white paper.
 */
import type { JSX } from 'react';
import { memo } from 'react';
import type { ImageFacts } from './image-facts.ts';
import styles from './image-output.module.css';
import { recall, remember } from './view-state.ts';

interface ImageOutputProps {
  url: string;
  facts: ImageFacts;
  /** What the image shows, from the text beside it. */
  description: string;
  /** The address did not give an image. */
  onBroken: () => void;
}

export const ImageOutput = memo(function ImageOutput({ url, facts, description, onBroken }: ImageOutputProps): JSX.Element {
  const known = recall<{ width: number; height: number }>(`image/${url}`);
  return (
    <img
      className={`${styles.image} ${styles.paper}`}
      src={url}
      alt={description || 'Image output'}
      width={facts.width ?? (facts.height === null ? known?.width : undefined)}
      height={facts.height ?? (facts.width === null ? known?.height : undefined)}
      data-unconfined={facts.unconfined || undefined}
      data-background={facts.background ?? undefined}
      decoding="async"
      draggable={false}
      onLoad={({ currentTarget: image }) => remember(`image/${url}`, { width: image.naturalWidth, height: image.naturalHeight })}
      onError={onBroken}
    />
  );
});
