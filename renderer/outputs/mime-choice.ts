/**
 * Which of an output's representations is shown. Rules in order, each with its reason; the person can pick another in the output's menu.
 * Pure.
 */
import { frameKind, isPlot } from '../../preload/frame-types.ts';

/** How a MIME type is drawn. */
export type Renderer = 'plot' | 'html' | 'svg' | 'image' | 'latex' | 'markdown' | 'script' | 'json' | 'text' | 'widget' | 'unknown';

export interface Representation {
  mime: string;
  renderer: Renderer;
}

const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp|apng)$/;

/** Lower is shown first. */
const RANK: Record<Renderer, number> = {
  // Interactive where it can be; without a live view it falls back to the next one, with a note.
  widget: 0,
  // Data that can be drawn again, also where no script of the author's may run.
  plot: 1,
  // Tables, plots with their own page: what the author's library made for notebooks.
  html: 2,
  // Formulas before pictures of them: sharp, selectable, in the theme's colour.
  latex: 3,
  svg: 4,
  image: 5,
  markdown: 6,
  script: 7,
  // Before text, which beside JSON is mostly `<IPython.core.display.JSON object>`.
  json: 8,
  text: 9,
  unknown: 10,
};

export function rendererOf(mime: string): Renderer {
  const type = mime.split(';')[0]!.trim().toLowerCase();
  if (type === 'application/vnd.jupyter.widget-view+json') return 'widget';
  if (isPlot(type)) return 'plot';
  if (type === 'text/html') return 'html';
  if (type === 'text/latex' || type === 'application/x-latex') return 'latex';
  if (type === 'image/svg+xml') return 'svg';
  if (IMAGES.test(type)) return 'image';
  if (type === 'text/markdown') return 'markdown';
  if (type === 'application/javascript' || type === 'text/javascript') return 'script';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type.startsWith('text/')) return 'text';
  return 'unknown';
}

/** Carried for programs, never shown: its facts appear elsewhere. */
const HIDDEN = new Set(['application/x-xcsh-status']);

/** All representations, best first. Types of equal rank keep the order the kernel gave them. */
export function representations(mimes: readonly string[]): Representation[] {
  return mimes
    .filter((mime) => !HIDDEN.has(mime))
    .map((mime) => ({ mime, renderer: rendererOf(mime) }))
    .sort((a, b) => RANK[a.renderer] - RANK[b.renderer]);
}

/** Type as people say it, for menus and notes. */
export function mimeWords(mime: string): string {
  const names: Partial<Record<Renderer, string>> = {
    html: 'HTML',
    latex: 'Formula',
    svg: 'SVG image',
    markdown: 'Markdown',
    script: 'JavaScript',
    widget: 'Widget',
  };
  const renderer = rendererOf(mime);
  if (renderer === 'image') return `${mime.slice('image/'.length).toUpperCase()} image`;
  if (mime === 'application/json') return 'JSON';
  if (mime === 'text/plain') return 'Plain text';
  if (renderer === 'plot') return frameKind(mime) === 'plotly' ? 'Plotly plot' : 'Vega chart';
  return names[renderer] ?? mime;
}
