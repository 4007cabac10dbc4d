/** What nbformat's metadata says about an image: its size in CSS pixels, whether it may be wider than the page, and what lies behind it. Pure. */

export interface ImageFacts {
  /** CSS pixels; null is the image's own size. */
  width: number | null;
  height: number | null;
  /** May be wider than the page; the output then scrolls. */
  unconfined: boolean;
  background: 'light' | 'dark' | null;
}

/** Reads nbformat's image metadata, which is kept per MIME type or, by some libraries, for all of them. */
export function imageFacts(metadata: Record<string, unknown>, mime: string): ImageFacts {
  const own = metadata[mime];
  const facts = { ...metadata, ...(typeof own === 'object' && own !== null ? own : {}) } as Record<string, unknown>;
  const background = facts.needs_background;
  return {
    width: pixels(facts.width),
    height: pixels(facts.height),
    unconfined: facts.unconfined === true,
    background: background === 'light' || background === 'dark' ? background : null,
  };
}

function pixels(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value.replace(/px$/, '')) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 && number <= 32_767 ? number : null;
}
