/**
 * The window's two typefaces and the icons of widgets for output frames, under `output://fonts/`. A frame has an opaque origin, so a font only loads when its answer
 * is open to every origin; these files are the one thing that is, and they hold nothing of the person's.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusal } from './served-files.ts';

/** Source list entry for a frame's policy. */
export const FONT_SOURCE = 'output://fonts';

/** File name in the built app by address. Nothing else is ever read. */
const FONTS: ReadonlyMap<string, string> = new Map([
  [`${FONT_SOURCE}/inter.woff2`, 'inter-latin-wght-normal.woff2'],
  [`${FONT_SOURCE}/jetbrains-mono.woff2`, 'jetbrains-mono-latin-wght-normal.woff2'],
  // Icons of widgets.
  [`${FONT_SOURCE}/fa-solid-900.woff2`, 'fa-solid-900.woff2'],
]);

export const FONT_STYLES = `
@font-face { font-family: 'Inter'; src: url('${FONT_SOURCE}/inter.woff2') format('woff2'); font-weight: 100 900; font-display: swap; }
@font-face { font-family: 'JetBrains Mono'; src: url('${FONT_SOURCE}/jetbrains-mono.woff2') format('woff2'); font-weight: 100 800; font-display: swap; }
`;

export function isFrameFont(url: string): boolean {
  return FONTS.has(url);
}

export async function serveFrameFont(url: string, fontFolder: string): Promise<Response> {
  const name = FONTS.get(url);
  if (name === undefined) return refusal(404);
  const bytes = await readFile(path.join(fontFolder, name));
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': 'font/woff2',
      'access-control-allow-origin': '*',
      'cache-control': 'max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  });
}
