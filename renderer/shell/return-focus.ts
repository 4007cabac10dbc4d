/**
 * Where the keyboard goes when a dialog closes: to what had it when the dialog opened. Radix does that only for dialogs with a trigger of their own;
 * from others the keyboard would fall back to the top of the page.
 */
import { useState } from 'react';

/** For `onCloseAutoFocus`. `onLost` gets the keyboard when what had it is gone from the page; `opener` is what opened the dialog by way of a menu. */
export function useReturnFocus(onLost?: () => void, opener?: HTMLElement): (event: Event) => void {
  const [origin] = useState(() => opener ?? document.activeElement);
  return (event) => {
    event.preventDefault();
    if (origin instanceof HTMLElement && origin.isConnected) origin.focus({ preventScroll: true });
    else onLost?.();
  };
}
