/** The widths of the window's parts, drawn again when the window or the layout changes them. */
import { useMemo, useSyncExternalStore } from 'react';
import { useApp } from './app.ts';
import { type FrameWidths, frameWidths } from './frame-widths.ts';
import { useStore } from './store.ts';

export function useFrameWidths(): FrameWidths {
  const layout = useStore(useApp().layout);
  const width = useSyncExternalStore(onResize, () => innerWidth);
  return useMemo(() => frameWidths(layout, width), [layout, width]);
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}
