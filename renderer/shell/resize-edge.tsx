/** The edge of a part of the frame, which sets its width: by dragging, by the arrow keys, and with a double click back to the usual one. */
import type { JSX, KeyboardEvent, PointerEvent } from 'react';
import styles from './resize-edge.module.css';

/** One press of an arrow key, in pixels. */
const KEY_STEP = 16;

interface ResizeEdgeProps {
  label: string;
  /** The side of the part on which it lies. */
  side: 'left' | 'right';
  /** In pixels; `most` is what there is room for now. */
  width: number;
  least: number;
  most: number;
  usual: number;
  onWidth: (width: number) => void;
}

export function ResizeEdge({ label, side, width, least, most, usual, onWidth }: ResizeEdgeProps): JSX.Element {
  const outwards = side === 'right' ? 1 : -1;
  const set = (wanted: number) => onWidth(Math.round(Math.min(Math.max(wanted, least), most)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => set(width + outwards * (move.clientX - from));
    handle.onlostpointercapture = () => {
      handle.onpointermove = null;
    };
  };
  const step = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowLeft: width - outwards * KEY_STEP,
      ArrowRight: width + outwards * KEY_STEP,
      Home: least,
      End: most,
    };
    const wanted = to[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    set(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a control, and <hr> is not
    <div
      className={styles.edge}
      data-side={side}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={step}
      onDoubleClick={() => set(usual)}
    />
  );
}
