/**
 * Formulas drawn by KaTeX, which is loaded with the first one. The source arrives as data and KaTeX builds the elements itself, with
 * links and raw HTML off: nothing of a formula passes as markup.
 */
import type { KatexOptions } from 'katex';

type Katex = typeof import('katex').default;

let katex: Katex | null = null;
let loading: Promise<void> | null = null;

/** Definitions hold for the whole window, as people know it from Jupyter: the first cell often defines what the others use. */
const macros: Record<string, string> = {};

const OPTIONS: KatexOptions = {
  throwOnError: true,
  trust: false,
  strict: false,
  // Bounds what a hostile formula can cost: boxes in em, and steps of macro expansion.
  maxSize: 60,
  maxExpand: 2000,
};

export function isMathReady(): boolean {
  return katex !== null;
}

export function loadMath(): Promise<void> {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => {
    katex = module.default;
  });
  return loading;
}

/** Draws `tex` into `element`. What KaTeX can't read is shown as its source, with the reason as a tooltip. */
export function drawMath(element: HTMLElement, tex: string, display: boolean): void {
  if (!katex) throw new Error('KaTeX is not loaded yet.');
  element.replaceChildren();
  const source = forKatex(tex);
  // A cell that is drawn again defines its names again, which TeX takes for a mistake.
  for (const [, name] of source.matchAll(/\\(?:re|provide)?newcommand\*?\s*\{?(\\[A-Za-z]+)/g)) delete macros[name!];
  try {
    katex.render(source, element, { ...OPTIONS, displayMode: display, macros, globalGroup: true });
  } catch (error) {
    const code = document.createElement('code');
    code.textContent = tex.trim();
    code.title = error instanceof Error ? error.message.replace(/^KaTeX parse error: /, '') : String(error);
    code.dataset.mathError = '';
    element.replaceChildren(code);
  }
}

/** What MathJax knows and KaTeX does not: operators are declared as macros; labels and extensions have no effect here. */
export function forKatex(tex: string): string {
  return tex
    .replaceAll(/\\DeclareMathOperator(\*?)\s*\{(\\[A-Za-z]+)\}\s*\{([^{}]*)\}/g, '\\newcommand{$2}{\\operatorname$1{$3}}')
    .replaceAll(/\\(?:label|require)\s*\{[^{}]*\}/g, '');
}
