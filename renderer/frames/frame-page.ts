/**
 * What our scripts inside an output's frame know of their page: the data that main put there, the theme, and its later changes. The frame
 * has an opaque origin and reaches nothing of the window's; its parent's messages are the only ones that count.
 */

/** The value in a data block, which main wrote as text inside of text. Throws when there is none. */
export function pageData(): unknown {
  const block = document.getElementById('cellwright-data');
  if (!block) throw new Error('The page holds no data.');
  return JSON.parse(JSON.parse(block.textContent ?? '') as string);
}

/** Where the output is drawn. */
export function outputElement(): HTMLElement {
  const element = document.getElementById('output');
  if (!element) throw new Error('The page has no place for the output.');
  return element;
}

export function isTrustedPage(): boolean {
  return outputElement().dataset.trusted === 'true';
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

/** The attribute is set by the page's own script, when the window says so. */
export function onTheme(listener: () => void): void {
  let dark = isDark();
  const look = (): void => {
    if (dark === isDark()) return;
    dark = isDark();
    listener();
  };
  new MutationObserver(look).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
}

/** One of the page's style tokens, e.g. `--text`. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Draws, and says meanwhile in the page's own data that it is not done: who takes a picture of it waits for that. */
export async function whileDrawing(draw: () => Promise<void>): Promise<void> {
  const { dataset } = document.documentElement;
  dataset.drawing = '';
  await draw();
  // Once it is on the screen.
  requestAnimationFrame(() => delete dataset.drawing);
}

/** A quiet line in the place of what can't be drawn. */
export function showNote(element: HTMLElement, text: string): void {
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = text;
  element.replaceChildren(note);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
