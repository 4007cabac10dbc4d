/** Stored plots: which types they are, and what of a plotly figure is changed before it is drawn. */
import { describe, expect, it } from 'vitest';
import { frameKind, isPlot } from '../../../preload/frame-types.ts';
import { figureHeight, readFigure, shownFigure } from '../../../renderer/frames/plotly-figure.ts';
import { representations } from '../../../renderer/outputs/mime-choice.ts';

const colours = { text: '#eee', line: '#333', lineStrong: '#555' };
const DEFAULT_TEMPLATE = { layout: { paper_bgcolor: 'white', plot_bgcolor: '#E5ECF6', xaxis: { gridcolor: 'white', automargin: true } } };

describe('the type of a plot', () => {
  it.each([
    ['application/vnd.plotly.v1+json', 'plotly'],
    ['application/vnd.vega.v5+json', 'vega'],
    ['application/vnd.vegalite.v4+json', 'vega-lite'],
    ['application/vnd.vegalite.v5.json', 'vega-lite'],
    ['Application/vnd.VegaLite.v6+json; charset=utf-8', 'vega-lite'],
  ])('%s is drawn as %s', (mime, kind) => {
    expect(frameKind(mime)).toBe(kind);
    expect(isPlot(mime)).toBe(true);
  });

  it.each(['application/json', 'application/vnd.plotly+json', 'application/vnd.vega.v5+json+x', 'text/html', 'application/geo+json'])(
    '%s is no plot',
    (mime) => expect(isPlot(mime)).toBe(false),
  );

  it('comes before the page that a library wrote beside it, but after a widget', () => {
    const mimes = ['text/plain', 'text/html', 'application/vnd.plotly.v1+json', 'application/vnd.jupyter.widget-view+json', 'image/png'];
    expect(representations(mimes).map(({ renderer }) => renderer)).toEqual(['widget', 'plot', 'html', 'image', 'text']);
  });
});

describe('a plotly figure', () => {
  const read = (layout: Record<string, unknown>) => readFigure({ data: [{ y: [1] }], layout });
  const background = (layout: Record<string, unknown>, dark = true) => {
    const shown = shownFigure(read(layout), dark, colours).layout;
    const template = shown.template as { layout?: Record<string, unknown> } | undefined;
    return shown.paper_bgcolor ?? template?.layout?.paper_bgcolor;
  };

  it('takes the dark colours where its author chose none', () => {
    expect(background({})).toBe('rgba(0,0,0,0)');
    expect(background({ template: DEFAULT_TEMPLATE })).toBe('rgba(0,0,0,0)');
    expect(background({ template: 'plotly' })).toBe('rgba(0,0,0,0)');
  });

  it('keeps what its author chose, and the light look as it is', () => {
    expect(background({ paper_bgcolor: 'ivory' })).toBe('ivory');
    expect(background({ template: { layout: { paper_bgcolor: 'beige', plot_bgcolor: 'white' } } })).toBe('beige');
    expect(shownFigure(read({ template: 'ggplot2' }), true, colours).layout.template).toBe('ggplot2');
    expect(background({ template: DEFAULT_TEMPLATE }, false)).toBe('white');
  });

  it('keeps the rest of the default template', () => {
    const { template } = shownFigure(read({ template: DEFAULT_TEMPLATE }), true, colours).layout as { template: typeof DEFAULT_TEMPLATE };
    expect(template.layout.xaxis).toEqual({
      automargin: true,
      gridcolor: '#333',
      linecolor: '#555',
      zerolinecolor: '#555',
      tickcolor: '#555',
    });
  });

  it('is as wide as the page unless it has a width, and offers no download', () => {
    expect(shownFigure(read({}), false, colours).layout.autosize).toBe(true);
    expect(shownFigure(read({ width: 300 }), false, colours).layout).toEqual({ width: 300 });
    const { config } = shownFigure({ data: [], layout: {}, config: { modeBarButtonsToRemove: [], scrollZoom: true } }, false, colours);
    expect(config).toMatchObject({ scrollZoom: true, responsive: true });
    expect(config.modeBarButtonsToRemove).toContain('toImage');
  });

  it('has room before it is drawn', () => {
    expect(figureHeight(read({}))).toBe(450);
    expect(figureHeight(read({ height: 200 }))).toBe(200);
    expect(figureHeight(read({ height: -1 }))).toBe(450);
  });

  it.each([null, 'text', {}, { data: {} }, []])('that is none is refused: %j', (value) => {
    expect(() => readFigure(value)).toThrow('There is no data in it.');
  });
});
