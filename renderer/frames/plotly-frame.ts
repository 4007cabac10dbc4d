/**
 * Draws a stored plotly figure inside its frame. The build of plotly.js is the one without code made of text, so that it also draws under the
 * policy of a notebook that nobody trusts.
 */
import { isDark, messageOf, onTheme, outputElement, pageData, showNote, token, whileDrawing } from './frame-page.ts';
import { figureHeight, readFigure, shownFigure } from './plotly-figure.ts';

async function draw(): Promise<void> {
  const element = outputElement();
  const figure = readFigure(pageData());
  const shown = () => shownFigure(figure, isDark(), { text: token('--text'), line: token('--line'), lineStrong: token('--line-strong') });
  const place = document.createElement('div');
  place.style.height = `${figureHeight(figure)}px`;
  element.replaceChildren(place);
  await Plotly.newPlot(place, shown());
  onTheme(() => void Plotly.react(place, shown()));
}

void whileDrawing(() => draw().catch((error: unknown) => showNote(outputElement(), `This plot can't be drawn: ${messageOf(error)}`)));
