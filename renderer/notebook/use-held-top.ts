/**
 * When something comes or goes above the page (a banner), the page's upper edge moves; its content is scrolled by as much, so that what is
 * read stays where it is on the screen.
 */
import { useLayoutEffect } from 'react';

export function useHeldTop(scroller: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const page = scroller.current;
    if (!page) return;
    let top = page.offsetTop;
    // Its height changes whenever its upper edge moves, for the lower edge stays.
    const observer = new ResizeObserver(() => {
      const moved = page.offsetTop - top;
      top = page.offsetTop;
      if (moved !== 0) page.scrollTop += moved;
    });
    observer.observe(page);
    return () => observer.disconnect();
  }, [scroller]);
}
