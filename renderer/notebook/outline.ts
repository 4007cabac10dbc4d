/**
 * The outline: headings of the markdown cells, in order. ATX and underlined headings as CommonMark has them; a `#` inside a code fence
 * is a comment and no heading.
 */
export interface Heading {
  key: string;
  level: number;
  text: string;
  /** Place of the heading within its cell, to tell two headings of one cell apart. */
  line: number;
}

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;

export function headingsOf(key: string, source: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  let paragraph: string | null = null;
  source.split('\n').forEach((line, index) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      return;
    }
    if (mark) {
      fence = mark;
      paragraph = null;
      return;
    }
    const atx = ATX.exec(line);
    const underline = paragraph === null ? null : UNDERLINE.exec(line);
    if (atx) {
      const text = plainText(atx[2] ?? '');
      if (text) headings.push({ key, level: atx[1]!.length, text, line: index });
      paragraph = null;
    } else if (underline && paragraph !== null) {
      headings.push({ key, level: underline[1]!.startsWith('=') ? 1 : 2, text: plainText(paragraph), line: index - 1 });
      paragraph = null;
    } else {
      paragraph = /^( {0,3})[^\s>#*+|-]/.test(line) ? line : null;
    }
  });
  return headings;
}

/** Heading text without its inline marks: links keep their words, emphasis and code their content, images their description. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/(`+)(.+?)\1/g, '$2')
    .replace(/(\*{1,3}|~~)(?=\S)(.+?)\1/g, '$2')
    .replace(/(^|\s)(_{1,3})(?=\S)(.+?)\2(?=\s|$)/g, '$1$3')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}

/** The name a link inside the notebook uses for a heading, as Jupyter makes it: words joined by dashes. */
export function headingAnchor(text: string): string {
  return text.trim().replaceAll(/\s+/g, '-');
}

/** Nesting depth for drawing: a notebook that starts at level 2 is not indented for it. */
export function outlineDepths(headings: readonly Heading[]): number[] {
  const open: number[] = [];
  return headings.map(({ level }) => {
    while (open.length > 0 && open.at(-1)! >= level) open.pop();
    open.push(level);
    return open.length - 1;
  });
}
