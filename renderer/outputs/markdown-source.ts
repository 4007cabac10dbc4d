/**
 * Markdown to HTML that is not yet safe: markdown-it with formulas, task lists and coloured code. Formulas become empty elements that carry
 * their TeX, images keep their address in a data attribute, so that nothing is loaded or drawn before the sanitizer has seen it. Pure.
 */
import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it';
import createMarkdownIt from 'markdown-it';
import { highlight } from './highlight.ts';
import { mathAt } from './math.ts';

/** Data URLs longer than this are taken out before parsing: an image of megabytes inside the text would pass through every rule. */
const MAX_INLINE_DATA = 2048;
const LIFTED = 'cw-data:';

export interface RenderedMarkdown {
  html: string;
  /** Data URLs taken out of the source; `cw-data:<index>` stands for them. */
  lifted: readonly string[];
}

export function renderMarkdown(source: string): RenderedMarkdown {
  const { text, lifted } = liftDataUrls(source);
  return { html: parser.render(text), lifted };
}

/** The data URL that an address stands for, or the address itself. */
export function restoreDataUrl(address: string, lifted: readonly string[]): string {
  return address.startsWith(LIFTED) ? (lifted[Number(address.slice(LIFTED.length))] ?? address) : address;
}

/** Takes long image data URLs out. By hand: a regular expression that matches megabytes runs out of stack. */
export function liftDataUrls(source: string): { text: string; lifted: string[] } {
  const lifted: string[] = [];
  let text = '';
  let from = 0;
  for (let at = source.indexOf('data:image/'); at !== -1; at = source.indexOf('data:image/', at + 1)) {
    const end = endOfDataUrl(source, at);
    if (end - at <= MAX_INLINE_DATA) continue;
    text += `${source.slice(from, at)}${LIFTED}${lifted.length}`;
    lifted.push(source.slice(at, end));
    from = end;
    at = end - 1;
  }
  return { text: text + source.slice(from), lifted };
}

function endOfDataUrl(source: string, at: number): number {
  const comma = source.indexOf(',', at);
  if (comma === -1 || comma - at > 100) return at;
  let end = comma + 1;
  while (end < source.length && isDataCharacter(source.charCodeAt(end))) end += 1;
  return end;
}

/** Base64 and percent-encoding. */
function isDataCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    '+/=%-_.~'.includes(String.fromCharCode(code))
  );
}

const parser = createParser();

function createParser(): MarkdownIt {
  // Linked are full addresses only: `notes.md` and `numpy.linalg` are no web pages.
  const markdown = createMarkdownIt({ html: true, linkify: true, highlight: highlightHtml });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  // Attachments are Jupyter's own scheme; lifted data URLs are ours.
  const validate = markdown.validateLink;
  markdown.validateLink = (url) => validate(url) || url.startsWith('attachment:') || url.startsWith(LIFTED);
  markdown.inline.ruler.before('escape', 'math', inlineMath);
  markdown.block.ruler.before('fence', 'math', blockMath, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  markdown.renderer.rules.math = (tokens, index) => mathHtml(tokens[index]!.content, tokens[index]!.info === 'display', tokens[index]!.tag);
  markdown.renderer.rules.html_block = (tokens, index) => mathInHtml(tokens[index]!.content);
  const image = markdown.renderer.rules.image!;
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]!;
    const source = token.attrGet('src') ?? '';
    token.attrSet('src', '');
    token.attrSet('data-src', source);
    return image(tokens, index, options, env, self);
  };
  markdown.core.ruler.push('tasks', (state) => markTasks(state.tokens));
  return markdown;
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const span = mathAt(state.src, state.pos);
  if (!span || span.end > state.posMax) return false;
  if (!silent) {
    const token = state.push('math', 'span', 0);
    token.content = span.tex;
    token.info = span.display ? 'display' : '';
  }
  state.pos = span.end;
  return true;
}

/** A formula that starts a line, so that lines in it which look like lists or headings stay part of it. */
function blockMath(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const head = state.src.slice(start, start + 8);
  if (!head.startsWith('$$') && !/^\\(?:begin|\\?\[)/.test(head)) return false;
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const text = state.getLines(startLine, endLine, state.blkIndent, false);
  const indent = text.length - text.trimStart().length;
  const span = mathAt(text, indent);
  // Text behind the formula on its last line makes it part of a paragraph.
  if (!span?.display || !/^[ \t]*(\n|$)/.test(text.slice(span.end))) return false;
  if (silent) return true;
  const token = state.push('math', 'div', 0);
  token.content = span.tex;
  token.info = 'display';
  token.block = true;
  state.line = startLine + text.slice(0, span.end).split('\n').length;
  token.map = [startLine, state.line];
  return true;
}

/** Within a paragraph also a display formula is a `span`: a `div` there would end the paragraph. */
function mathHtml(tex: string, display: boolean, tag: string): string {
  return `<${tag} data-tex="${escapeHtml(tex)}"${display ? ' data-display="true"' : ''}></${tag}>`;
}

/** Formulas in a block of HTML, outside tags and code. */
export function mathInHtml(html: string): string {
  let verbatim = 0;
  return html
    .split(/(<!--[\s\S]*?-->|<[^<>]*>)/)
    .map((piece) => {
      if (piece.startsWith('<')) {
        if (/^<(?:pre|code|script|style)\b/i.test(piece)) verbatim += 1;
        else if (/^<\/(?:pre|code|script|style)\b/i.test(piece)) verbatim -= 1;
        return piece;
      }
      return verbatim > 0 ? piece : mathInText(piece);
    })
    .join('');
}

function mathInText(text: string): string {
  let result = '';
  let from = 0;
  for (let at = text.search(/[$\\]/); at !== -1 && at < text.length; ) {
    const span = text[at] === '$' || text[at] === '\\' ? mathAt(text, at) : null;
    if (!span) {
      at += text[at] === '\\' ? 2 : 1;
      continue;
    }
    result += text.slice(from, at) + mathHtml(unescapeHtml(span.tex), span.display, 'span');
    from = span.end;
    at = span.end;
  }
  return result + text.slice(from);
}

/** `[ ]` and `[x]` at the start of a list item. */
function markTasks(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const item = tokens[index - 2];
    const text = token.children?.[0];
    const mark = text?.type === 'text' ? /^\[([ xX])\]\s/.exec(text.content) : null;
    if (token.type !== 'inline' || item?.type !== 'list_item_open' || !text || !mark) return;
    text.content = text.content.slice(mark[0].length);
    item.attrJoin('class', 'cw-task');
    item.attrSet('data-done', String(mark[1] !== ' '));
  });
}

function highlightHtml(code: string, language: string): string {
  return highlight(code, language)
    .map(({ kind, text }) => (kind === 'plain' ? escapeHtml(text) : `<span class="cw-${kind}">${escapeHtml(text)}</span>`))
    .join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&nbsp;', ' ').replaceAll('&amp;', '&');
}
