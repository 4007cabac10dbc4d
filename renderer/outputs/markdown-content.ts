/**
 * From sanitized markdown to what stands in the page: headings get their anchors, images their sources or a placeholder, formulas are
 * drawn. Works on a fragment of its own before anything is shown. The fragment of a source is kept, since cells come and go with scrolling.
 */
import { headingAnchor } from '../notebook/outline.ts';
import { renderMarkdown, restoreDataUrl } from './markdown-source.ts';
import { drawMath, isMathReady } from './math-view.ts';
import { sanitize } from './safe-markup.ts';

export interface MarkdownContent {
  fragment: DocumentFragment;
  /** Formulas wait for KaTeX; build the content again once it is there. */
  needsMath: boolean;
}

/** Where an image that markdown names is served from; null when it is not. */
export type ImageUrl = (address: string) => string | null;

interface Sanitized {
  template: DocumentFragment;
  lifted: readonly string[];
}

const MAX_KEPT = 300;
const MAX_KEPT_LENGTH = 50_000;
const kept = new Map<string, Sanitized>();

export function markdownContent(source: string, imageUrl: ImageUrl): MarkdownContent {
  const { template, lifted } = sanitized(source);
  const fragment = template.cloneNode(true) as DocumentFragment;
  const formulas = [...fragment.querySelectorAll<HTMLElement>('[data-tex]')];
  nameHeadings(fragment);
  for (const image of fragment.querySelectorAll('img')) settleImage(image, imageUrl, lifted);
  for (const table of fragment.querySelectorAll('table')) wrapTable(table);
  for (const item of fragment.querySelectorAll<HTMLElement>('li.cw-task')) markTask(item);
  for (const code of fragment.querySelectorAll('code')) shortenData(code, lifted);
  if (isMathReady()) for (const formula of formulas) drawMath(formula, formula.dataset.tex ?? '', formula.dataset.display === 'true');
  else for (const formula of formulas) formula.textContent = formula.dataset.tex ?? '';
  return { fragment, needsMath: formulas.length > 0 && !isMathReady() };
}

function sanitized(source: string): Sanitized {
  const known = kept.get(source);
  if (known) return known;
  const { html, lifted } = renderMarkdown(source);
  const result = { template: sanitize(html), lifted };
  if (source.length <= MAX_KEPT_LENGTH) {
    kept.set(source, result);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  }
  return result;
}

/** Anchors as Jupyter gives them; a second heading of the same text in one cell gets a number. */
function nameHeadings(fragment: DocumentFragment): void {
  const used = new Map<string, number>();
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const anchor = headingAnchor(headingText(heading));
    if (anchor === '') continue;
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    heading.setAttribute('data-anchor', count === 0 ? anchor : `${anchor}-${count}`);
  }
}

function headingText(heading: Element): string {
  const copy = heading.cloneNode(true) as Element;
  for (const formula of copy.querySelectorAll<HTMLElement>('[data-tex]')) formula.textContent = `$${formula.dataset.tex}$`;
  return copy.textContent ?? '';
}

function settleImage(image: HTMLImageElement, imageUrl: ImageUrl, lifted: readonly string[]): void {
  const address = restoreDataUrl(image.dataset.src ?? '', lifted);
  image.removeAttribute('data-src');
  const source = imageSource(address, imageUrl);
  const giveWay = (): void => image.replaceWith(imagePlaceholder(image.alt, address));
  if (source === null) {
    giveWay();
    return;
  }
  image.addEventListener('error', giveWay);
  image.decoding = 'async';
  image.draggable = false;
  image.src = source;
}

/** Only what needs no network: data URLs, what main serves already, and what `imageUrl` has main serve. Null otherwise. */
export function imageSource(address: string, imageUrl: ImageUrl): string | null {
  if (/^data:image\//i.test(address) || /^(?:output|artifact):/.test(address)) return address;
  return imageUrl(address);
}

function imagePlaceholder(alt: string, address: string): HTMLElement {
  const isWeb = /^https?:/i.test(address);
  const element = document.createElement(isWeb ? 'a' : 'span');
  element.className = 'cw-image';
  if (isWeb) element.setAttribute('href', address);
  element.title = address.slice(0, 500);
  element.textContent = `${alt || 'Image'} — ${isWeb ? `on ${hostOf(address)}` : address.slice(0, 120) || 'without an address'}`;
  return element;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : address;
}

/** Wide tables scroll by themselves instead of widening the page. */
function wrapTable(table: HTMLTableElement): void {
  const box = document.createElement('div');
  box.className = 'cw-table';
  table.replaceWith(box);
  box.append(table);
}

function markTask(item: HTMLElement): void {
  const isDone = item.dataset.done === 'true';
  const mark = document.createElement('span');
  mark.className = 'cw-check';
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', isDone ? 'done' : 'to do');
  const first = item.firstElementChild;
  (first?.localName === 'p' ? first : item).prepend(mark);
}

/** A data URL inside code is shown by its beginning and its length. */
function shortenData(code: Element, lifted: readonly string[]): void {
  if (lifted.length === 0 || !code.textContent?.includes('cw-data:')) return;
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    node.nodeValue = (node.nodeValue ?? '').replaceAll(/cw-data:\d+/g, (address) => {
      const url = restoreDataUrl(address, lifted);
      return `${url.slice(0, 80)}… (${url.length.toLocaleString('en-US')} characters)`;
    });
  }
}
