/** Keys between the cards of a feed, as screen readers know them: Page Down and Page Up go from one card to the next. */
import type { KeyboardEvent } from 'react';

/**
 * The row whose card is to have the focus now; null for any other key. Where no card has the focus the keys scroll, as in any list. `isCard`
 * says which rows are cards.
 */
export function nextCard(event: KeyboardEvent<HTMLElement>, rows: number, isCard: (index: number) => boolean): number | null {
  const step = event.key === 'PageDown' ? 1 : event.key === 'PageUp' ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  const element = event.target instanceof Element ? event.target : null;
  // In a text field they go through the text.
  if (!element?.closest('article') || element.closest('textarea, input')) return null;
  const from = Number(element.closest<HTMLElement>('[data-index]')?.dataset.index);
  for (let index = from + step; index >= 0 && index < rows; index += step) if (isCard(index)) return index;
  return null;
}
