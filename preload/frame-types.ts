/**
 * Which MIME types are drawn in a frame of their own, and by what. Main serves their pages and the window chooses them, so both must agree.
 */

/** `plotly`, `vega` and `vega-lite` are data alone, drawn by a script of ours; the others hold what the author wrote. */
export type FrameKind = 'markup' | 'script' | 'plotly' | 'vega' | 'vega-lite';

const MARKUP: ReadonlySet<string> = new Set(['text/html', 'image/svg+xml']);
const SCRIPTS: ReadonlySet<string> = new Set(['application/javascript', 'text/javascript']);

const PLOTS: readonly [RegExp, FrameKind][] = [
  [/^application\/vnd\.plotly\.v\d+\+json$/, 'plotly'],
  // Altair has written both endings.
  [/^application\/vnd\.vega\.v\d+[+.]json$/, 'vega'],
  [/^application\/vnd\.vegalite\.v\d+[+.]json$/, 'vega-lite'],
];

/** Null for a type that no frame draws. Parameters and letter case make no difference. */
export function frameKind(mime: string): FrameKind | null {
  const type = (mime.split(';')[0] ?? '').trim().toLowerCase();
  if (MARKUP.has(type)) return 'markup';
  if (SCRIPTS.has(type)) return 'script';
  return PLOTS.find(([pattern]) => pattern.test(type))?.[1] ?? null;
}

/** Whether the type is a plot that is stored as data. */
export function isPlot(mime: string): boolean {
  const kind = frameKind(mime);
  return kind === 'plotly' || kind === 'vega' || kind === 'vega-lite';
}
