/**
 * Outputs inside an Output widget, as elements. The frame belongs to a trusted notebook and is a stranger to the window, so HTML may bring scripts
 * here as it may in an output of its own.
 */
import type { Output, StreamOutput } from '../../../preload/output-change.ts';
import { type AnsiRun, parseAnsi } from '../../outputs/ansi.ts';
import { ansiPaint } from '../../outputs/ansi-color.ts';

export const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function outputElement(output: Output<unknown>): HTMLElement {
  switch (output.type) {
    case 'stream':
      return streamElement(output);
    case 'error':
      return textElement(output.traceback.join('\n') || `${output.ename}: ${output.evalue}`, 'error');
    default:
      return bundleElement(output.data);
  }
}

function streamElement({ name, text, omitted }: StreamOutput): HTMLElement {
  const element = textElement(text, name);
  if (!omitted) return element;
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = `${omitted.lines.toLocaleString('en')} lines left out`;
  const box = document.createElement('div');
  box.append(textElement(text.slice(0, omitted.at), name), note, textElement(text.slice(omitted.at), name));
  return box;
}

/** Text of a program: only ever a text node, nothing in it can become markup. */
function textElement(text: string, kind: string): HTMLElement {
  const element = document.createElement('pre');
  element.className = `text ${kind}`;
  element.append(...parseAnsi(text).runs.map(runElement));
  return element;
}

function runElement({ text, style }: AnsiRun): HTMLElement {
  const element = document.createElement(style.link === null ? 'span' : 'a');
  if (style.link !== null) element.setAttribute('href', style.link);
  const { color, background } = ansiPaint(style);
  if (color) element.style.color = color;
  if (background) element.style.background = background;
  if (style.bold) element.style.fontWeight = '600';
  if (style.italic) element.style.fontStyle = 'italic';
  if (style.underline) element.style.textDecoration = 'underline';
  element.textContent = text;
  return element;
}

/** The best representation, as in a cell. */
function bundleElement(data: Record<string, unknown>): HTMLElement {
  const html = textOf(data['text/html']) ?? textOf(data['image/svg+xml']);
  if (html !== null) return markupElement(html);
  const image = IMAGES.find((mime) => textOf(data[mime]) !== null);
  if (image) return imageElement(image, textOf(data[image])!, textOf(data['text/plain']) ?? '');
  const script = textOf(data['application/javascript']);
  if (script !== null) return scriptElement(script);
  const text = textOf(data['text/markdown']) ?? textOf(data['text/latex']) ?? textOf(data['text/plain']);
  return textElement(text ?? JSON.stringify(data, null, 2), 'result');
}

function imageElement(mime: string, base64: string, description: string): HTMLElement {
  const element = document.createElement('img');
  element.src = `data:${mime};base64,${base64}`;
  element.alt = description;
  return element;
}

/** Scripts that come by `innerHTML` never run; they are made anew. */
function markupElement(html: string): HTMLElement {
  const element = document.createElement('div');
  element.innerHTML = html;
  for (const old of element.querySelectorAll('script')) {
    const script = document.createElement('script');
    for (const { name, value } of old.attributes) script.setAttribute(name, value);
    script.textContent = old.textContent;
    old.replaceWith(script);
  }
  return element;
}

function scriptElement(code: string): HTMLElement {
  const element = document.createElement('div');
  const script = document.createElement('script');
  script.textContent = `(function (element) {${code}\n})(document.currentScript.parentElement);`;
  element.append(script);
  return element;
}

/** nbformat's text may be a list of lines. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value.join('');
  return typeof value === 'string' ? value : null;
}
