/**
 * HTML as plain text, for displays that offer nothing better: blocks on lines of their own, table cells in columns, lists with dashes.
 * It reads tags as they come and never builds a tree; the hard rule is to take time in proportion to the text, whatever is in it.
 */

/** Longer HTML is cut before it is read: an agent would see only the end of it anyway. */
const HTML_LIMIT = 1024 * 1024;

/** Begin and end on a line of their own. */
const BLOCKS = new Set(
  `address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
   header hr li main nav ol p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
);

/** What is between their tags is no text. */
const HIDDEN = new Set(['head', 'math', 'noscript', 'object', 'script', 'select', 'style', 'svg', 'template', 'title']);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  minus: '−',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  micro: 'µ',
  infin: '∞',
  euro: '€',
};

/** A comment, a tag with its name and attributes, or a declaration. A `<` that begins none of them is text. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])((?:"[^"]*"|'[^']*'|[^<>"'])*)>|<[!?][^<>]*>/gi;

export function htmlToText(html: string): string {
  const source = html.slice(0, HTML_LIMIT);
  const writer = new TextWriter();
  let at = 0;
  let hiddenIn: string | null = null;
  for (const match of source.matchAll(MARKUP)) {
    if (hiddenIn === null) writer.text(decoded(source.slice(at, match.index)));
    at = match.index + match[0].length;
    const name = match[2]?.toLowerCase();
    if (name === undefined) continue;
    const closes = match[1] === '/';
    if (hiddenIn !== null) {
      if (closes && name === hiddenIn) hiddenIn = null;
    } else if (HIDDEN.has(name) && !closes) hiddenIn = match[3]?.endsWith('/') ? null : name;
    else writer.tag(name, closes, match[3] ?? '');
  }
  if (hiddenIn === null) writer.text(decoded(source.slice(at)));
  return writer.result();
}

/** Lines with the white space that a browser would show. */
class TextWriter {
  #lines: string[] = [];
  #line = '';
  /** White space was seen and is written before the next word. */
  #gap = false;
  /** At the beginning of a line or of a column. */
  #isFresh = true;
  #cells = 0;
  #preformatted = 0;

  text(text: string): void {
    if (this.#preformatted > 0) {
      const [first = '', ...rest] = text.split('\n');
      this.#line += first;
      for (const line of rest) {
        this.#lines.push(this.#line);
        this.#line = line;
      }
      return;
    }
    for (const [word] of text.matchAll(/\s+|\S+/g)) {
      if (word.trim() === '') this.#gap = true;
      else {
        this.#line += this.#gap && !this.#isFresh ? ` ${word}` : word;
        this.#gap = false;
        this.#isFresh = false;
      }
    }
  }

  tag(name: string, closes: boolean, attributes: string): void {
    if (name === 'br') this.#end(true);
    else if (name === 'td' || name === 'th') {
      if (!closes && this.#cells++ > 0) this.#line += '\t';
      this.#gap = false;
      this.#isFresh = true;
    } else if (name === 'img' && !closes) this.text(/\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes)?.slice(1).find(Boolean) ?? '');
    else if (BLOCKS.has(name)) {
      this.#end(false);
      if (name === 'li' && !closes) this.#line = '- ';
      if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted + (closes ? -1 : 1));
    }
  }

  result(): string {
    this.#end(false);
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #end(always: boolean): void {
    if (always || this.#line.trim() !== '') this.#lines.push(this.#line.trimEnd());
    this.#line = '';
    this.#gap = false;
    this.#isFresh = true;
    this.#cells = 0;
  }
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}
