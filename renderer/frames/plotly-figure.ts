/**
 * A stored plotly figure as it is drawn here: as wide as the page, in the window's colours where the author chose none. Pure. The hard thing
 * is what counts as chosen: plotly for Python writes its default template into every figure, so that template is no choice.
 */

type Fields = Record<string, unknown>;

export interface StoredFigure {
  data: unknown[];
  layout: Fields;
  config: Fields;
  frames?: unknown[];
}

/** The window's colours, as CSS has them. */
export interface PlotColours {
  text: string;
  line: string;
  lineStrong: string;
}

/** In pixels; plotly's own. */
const DEFAULT_HEIGHT = 450;

/** Background of the plot in the template that plotly for Python gives to every figure. */
const DEFAULT_BACKGROUND = '#E5ECF6';

/** What a library wrote, with nothing missing that drawing needs. Throws when it is no figure. */
export function readFigure(value: unknown): StoredFigure {
  const { data, layout, config, frames } = fields(value);
  if (!Array.isArray(data)) throw new Error('There is no data in it.');
  return { data, layout: fields(layout), config: fields(config), ...(Array.isArray(frames) ? { frames } : {}) };
}

/** The figure for a page of the given theme. */
export function shownFigure(figure: StoredFigure, dark: boolean, colours: PlotColours): StoredFigure {
  const { layout, config } = figure;
  const themed = dark && hasDefaultLook(layout) ? darkLayout(layout, colours) : layout;
  return {
    ...figure,
    // `autosize` that a saved width contradicts would be ignored.
    layout: { ...themed, ...(typeof layout.width === 'number' ? {} : { autosize: true }) },
    // The picture button downloads, which no output may.
    config: { ...config, responsive: true, displaylogo: false, modeBarButtonsToRemove: ['toImage', 'sendDataToCloud'] },
  };
}

/** The room the figure takes, in pixels. */
export function figureHeight({ layout }: StoredFigure): number {
  return typeof layout.height === 'number' && layout.height > 0 ? layout.height : DEFAULT_HEIGHT;
}

/** Nothing but the library's defaults says what it looks like. */
function hasDefaultLook(layout: Fields): boolean {
  if (layout.paper_bgcolor !== undefined || layout.plot_bgcolor !== undefined) return false;
  if (layout.template === undefined) return true;
  if (typeof layout.template === 'string') return layout.template === 'plotly';
  const background = fields(fields(layout.template).layout).plot_bgcolor;
  return background === undefined || background === DEFAULT_BACKGROUND;
}

/** The colours go into the template, so that every colour of the author's own still wins. */
function darkLayout(layout: Fields, { text, line, lineStrong }: PlotColours): Fields {
  const template = fields(layout.template);
  const base = fields(template.layout);
  const axis = { gridcolor: line, linecolor: lineStrong, zerolinecolor: lineStrong, tickcolor: lineStrong };
  const withAxis = (name: string): Fields => ({ [name]: { ...fields(base[name]), ...axis } });
  const scene = Object.fromEntries(
    ['xaxis', 'yaxis', 'zaxis'].map((name) => [name, { ...fields(fields(base.scene)[name]), ...axis, backgroundcolor: 'transparent' }]),
  );
  return {
    ...layout,
    template: {
      ...template,
      layout: {
        ...base,
        ...withAxis('xaxis'),
        ...withAxis('yaxis'),
        scene: { ...fields(base.scene), ...scene },
        polar: { ...fields(base.polar), bgcolor: 'transparent' },
        geo: { ...fields(base.geo), bgcolor: 'transparent' },
        font: { ...fields(base.font), color: text },
        paper_bgcolor: 'rgba(0,0,0,0)',
        plot_bgcolor: 'rgba(0,0,0,0)',
      },
    },
  };
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
