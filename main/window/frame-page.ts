/**
 * The page inside an output's sandboxed frame: HTML, SVG with scripts, JavaScript, or a plot's data, with its content security policy. Pure.
 * The hard thing is the notebook that nobody trusts yet: nothing of its content may run or reach out, while our own scripts, by nonce, must.
 */

import { type FrameKind, frameKind } from '../../preload/frame-types.ts';
import { FONT_SOURCE, FONT_STYLES } from './frame-fonts.ts';
import { frameScript } from './frame-script.ts';
import { type FrameScript, frameScriptAddress, SCRIPT_SOURCE, WIDGET_STYLES } from './frame-scripts.ts';
import { FRAME_STYLES } from './frame-styles.ts';
import { APP_ORIGIN } from './permissions.ts';

export interface FrameContent {
  mime: string;
  content: string;
  trusted: boolean;
  dark: boolean;
  /** Fresh for each page, so that no content can carry it. */
  nonce: string;
}

export interface FramePage {
  html: string;
  headers: Record<string, string>;
}

export function framePage(frame: FrameContent): FramePage {
  return page(frame, bodyOf(frame));
}

/** The page that shows one widget. Only for a trusted notebook: widgets bring scripts of their own and reach the kernel. */
export function widgetPage({ modelId, dark }: { modelId: string; dark: boolean }): FramePage {
  const frame = { content: JSON.stringify({ modelId }), trusted: true, dark, nonce: '' };
  return page(frame, `<link rel="stylesheet" href="${WIDGET_STYLES}">${drawnBody(frame, 'widget', ['widgets'])}`);
}

function page(frame: Pick<FrameContent, 'trusted' | 'dark' | 'nonce'>, body: string): FramePage {
  const html = [
    `<!doctype html><html data-theme="${frame.dark ? 'dark' : 'light'}"><head><meta charset="utf-8">`,
    `<style>${FONT_STYLES}${FRAME_STYLES}</style>`,
    `<script${frame.trusted ? '' : ` nonce="${frame.nonce}"`}>${frameScript(APP_ORIGIN)}</script>`,
    `</head><body>${body}</body></html>`,
  ].join('\n');
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': frame.trusted ? TRUSTED_POLICY : untrustedPolicy(frame.nonce),
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  };
}

function bodyOf(frame: FrameContent): string {
  const { mime, content, trusted } = frame;
  const kind = frameKind(mime);
  const drawnBy = kind && DRAWN_BY[kind];
  if (drawnBy) return drawnBody(frame, kind, drawnBy);
  if (kind === 'script' && !trusted) {
    return '<div id="output"><p class="note">This output runs JavaScript. Trust the notebook to run it.</p></div>';
  }
  if (kind === 'script') return `<div id="output"></div>${dataBlock('cellwright-script', content)}`;
  if (trusted) return `<div id="output">${content}</div>`;
  return `<div id="output"></div>${dataBlock('cellwright-inert', content)}`;
}

/** Which of our scripts draw what, in order. */
const DRAWN_BY: Partial<Record<FrameKind, readonly FrameScript[]>> = {
  plotly: ['plotly-library', 'plotly'],
  vega: ['vega'],
  'vega-lite': ['vega'],
};

/** A plot is data in both cases, drawn by us: that needs no trust, but without it neither the network nor code made of text. */
function drawnBody(
  { content, trusted, nonce }: Pick<FrameContent, 'content' | 'trusted' | 'nonce'>,
  kind: string,
  scripts: readonly FrameScript[],
): string {
  const attributes = `data-kind="${kind}" data-trusted="${trusted}"`;
  const sources = scripts.map((script) => `<script${trusted ? '' : ` nonce="${nonce}"`} src="${frameScriptAddress(script)}"></script>`);
  return `<div id="output" ${attributes}></div>${dataBlock('cellwright-data', content)}${sources.join('')}`;
}

/** A block that the parser takes for data whatever is in it: no `<` is left that could end it. */
function dataBlock(id: string, content: string): string {
  return `<script type="application/json" id="${id}">${JSON.stringify(content).replaceAll('<', '\\u003c')}</script>`;
}

/** Both policies: an opaque origin, no forms, and only our own page may hold the frame. */
const ALWAYS = ['sandbox allow-scripts', "form-action 'none'", "base-uri 'none'", `frame-ancestors ${APP_ORIGIN}`];

/** No network, and no script but the one with the nonce. Inline styles stay: pandas and many others depend on them. */
export function untrustedPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    `font-src data: ${FONT_SOURCE}`,
    'media-src data: blob:',
    ...ALWAYS,
  ].join('; ');
}

/** The web as any page has it; our own schemes stay out of reach but for two fonts and the scripts that draw plots, since no source list names them. */
export const TRUSTED_POLICY = [
  "default-src 'none'",
  `script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' https: http: data: blob: ${SCRIPT_SOURCE}`,
  'worker-src blob: data:',
  `style-src 'unsafe-inline' https: http: data: blob: ${SCRIPT_SOURCE}`,
  'img-src https: http: data: blob:',
  `font-src https: http: data: blob: ${FONT_SOURCE}`,
  'media-src https: http: data: blob:',
  'connect-src https: http: wss: ws: data: blob:',
  'frame-src https: http: data: blob:',
  ...ALWAYS,
].join('; ');
