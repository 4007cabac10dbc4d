/**
 * Colours for static source, from the editor's own tokenizer once that has been loaded; until then the text is plain.
 * Results are kept, because a cell that scrolls back into view must not be tokenized again.
 */
import { createStore } from '../../shell/store.ts';
import type { SourceSpan } from './source-tokens.ts';
import { sourceSpans } from './source-tokens.ts';

interface Library {
  monaco: typeof import('./monaco.ts');
  lendEditor: typeof import('./cell-editor.ts').lendEditor;
}

/** Beyond this many UTF-16 units a source stays plain: tokenizing it would be felt while scrolling. */
const LONGEST = 100_000;
/** Sources whose colours are kept. */
const KEPT = 600;

const cache = new Map<string, SourceSpan[][]>();
let library: Library | null = null;
const asked = new Set<string>();

/** Grows by one whenever sources may have other colours than before. */
export const tokenizerVersion = createStore(0);

/** Starts loading the editor library; resolves when editors can be made. Calling it again is free. */
export function loadEditorLibrary(): Promise<Library> {
  loading ??= Promise.all([import('./monaco.ts'), import('./cell-editor.ts')]).then(async ([monaco, { lendEditor }]) => {
    await monaco.monacoReady;
    library = { monaco, lendEditor };
    tokenizerVersion.set((version) => version + 1);
    return library;
  });
  return loading;
}
let loading: Promise<Library> | null = null;

/** The library when it is there already. */
export function editorLibrary(): Library | null {
  return library;
}

export function spansOf(source: string, language: string): SourceSpan[][] {
  const id = `${language}\n${source}`;
  const known = cache.get(id);
  if (known) {
    cache.delete(id);
    cache.set(id, known);
    return known;
  }
  const lines = source.split('\n');
  if (!library || source.length > LONGEST || language === 'plaintext') return sourceSpans(lines, []);
  requestLanguage(library, language);
  const spans = sourceSpans(lines, library.monaco.editor.tokenize(source, language));
  cache.set(id, spans);
  if (cache.size > KEPT) cache.delete(cache.keys().next().value!);
  return spans;
}

/** Languages other than Python load when they are first met; what was drawn plain meanwhile is drawn again. */
function requestLanguage({ monaco }: Library, language: string): void {
  if (asked.has(language)) return;
  asked.add(language);
  if (language === 'python') return;
  void monaco.editor.colorize('', language, {}).then(() => {
    for (const id of [...cache.keys()]) if (id.startsWith(`${language}\n`)) cache.delete(id);
    tokenizerVersion.set((version) => version + 1);
  });
}
