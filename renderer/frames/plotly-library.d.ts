/** The few parts of plotly.js that are used; its package has no types. It is loaded by a script of its own, already as small as it gets. */
interface PlotlyFigure {
  data: unknown[];
  layout: Record<string, unknown>;
  config: Record<string, unknown>;
  frames?: unknown[];
}

declare const Plotly: {
  newPlot(element: HTMLElement, figure: PlotlyFigure): Promise<HTMLElement>;
  react(element: HTMLElement, figure: PlotlyFigure): Promise<HTMLElement>;
};
