/**
 * Draws a stored Vega or Vega-Lite specification inside its frame. Vega makes code of its expressions, which only a trusted page allows; in
 * any other they are interpreted, more slowly. Data that can't be loaded makes no error but an empty chart, so the loading is watched.
 */
import { type Loader, loader } from 'vega';
import embed, { type EmbedOptions, type VisualizationSpec } from 'vega-embed';
import { expressionInterpreter } from 'vega-interpreter';
import { isDark, isTrustedPage, messageOf, onTheme, outputElement, pageData, showNote, token, whileDrawing } from './frame-page.ts';
import { chartConfig } from './vega-look.ts';

function options(watched: Loader): EmbedOptions {
  return {
    mode: outputElement().dataset.kind === 'vega' ? 'vega' : 'vega-lite',
    actions: false,
    // Charts of a hundred thousand marks are common.
    renderer: 'canvas',
    loader: watched,
    tooltip: { theme: isDark() ? 'dark' : 'light' },
    config: chartConfig({
      text: token('--text'),
      muted: token('--text-muted'),
      line: token('--line'),
      lineStrong: token('--line-strong'),
    }),
    ...(isTrustedPage() ? {} : { ast: true, expr: expressionInterpreter }),
  };
}

function watchedLoader(onFailure: () => void): Loader {
  const inner = loader();
  return {
    ...inner,
    load: async (uri, given) => {
      try {
        return await inner.load(uri, given);
      } catch (error) {
        onFailure();
        throw error;
      }
    },
  };
}

let drawn: { finalize(): void } | null = null;

async function draw(): Promise<void> {
  drawn?.finalize();
  const note = document.createElement('div');
  const place = document.createElement('div');
  // Charts as wide as their container have one.
  place.style.width = '100%';
  outputElement().replaceChildren(note, place);
  try {
    // The version it was written for is known from its type; naming it only makes the library warn.
    const { $schema: _version, ...specification } = pageData() as Record<string, unknown>;
    drawn = await embed(place, specification as unknown as VisualizationSpec, options(watchedLoader(() => showNote(note, dataNote()))));
  } catch (error) {
    showNote(outputElement(), `This chart can't be drawn: ${messageOf(error)}`);
  }
}

function dataNote(): string {
  return isTrustedPage()
    ? "Data of this chart could not be loaded from the network, so it isn't complete."
    : 'Data of this chart lies on the network, which is used only once the notebook is trusted.';
}

void whileDrawing(draw);
onTheme(() => void draw());
