/**
 * Our larger scripts for output frames, under `output://scripts/`: what draws plots and widgets. They are built beside the window's page and
 * never part of it; a frame loads one only when it shows such an output. They hold nothing of the person's.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refusal } from './served-files.ts';

/** Source list entry for a frame's policy. */
export const SCRIPT_SOURCE = 'output://scripts';

/** Names of the files in the built app. Nothing else is ever read. */
export type FrameScript = 'plotly-library' | 'plotly' | 'vega' | 'widgets';

/** Styles of widgets, built beside their script. */
export const WIDGET_STYLES = `${SCRIPT_SOURCE}/widgets.css`;

const SCRIPTS: ReadonlyMap<string, FrameScript> = new Map(
  (['plotly-library', 'plotly', 'vega', 'widgets'] as const).map((name) => [frameScriptAddress(name), name]),
);

export function frameScriptAddress(name: FrameScript): string {
  return `${SCRIPT_SOURCE}/${name}.js`;
}

export function isFrameScript(url: string): boolean {
  return SCRIPTS.has(url) || url === WIDGET_STYLES;
}

export async function serveFrameScript(url: string, scriptFolder: string): Promise<Response> {
  const script = SCRIPTS.get(url);
  const name = script === undefined ? null : `${script}.js`;
  const file = url === WIDGET_STYLES ? 'widgets.css' : name;
  if (file === null) return refusal(404);
  const bytes = await readFile(path.join(scriptFolder, file));
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': `text/${name === null ? 'css' : 'javascript'}; charset=utf-8`,
      // The name stays when the program is replaced by a newer one.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  });
}
