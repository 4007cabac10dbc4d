/**
 * Which editor language a cell has: from the kernel's language, and from a cell magic (`%%bash`) on the first line.
 */
import type { CellType } from '../../../preload/notebook-model.ts';

/** Names that kernels use for a language, where they differ from the editor's. */
const KERNEL_LANGUAGES = new Map(
  Object.entries({
    python: 'python',
    python3: 'python',
    ipython: 'python',
    xpython: 'python',
    sagemath: 'python',
    r: 'r',
    julia: 'julia',
    javascript: 'javascript',
    typescript: 'typescript',
    bash: 'shell',
    shell: 'shell',
    sql: 'sql',
    scala: 'scala',
    'c++': 'cpp',
    'c++17': 'cpp',
    c: 'cpp',
    rust: 'rust',
    go: 'go',
    ruby: 'ruby',
    lua: 'lua',
  }),
);

const CELL_MAGICS = new Map(
  Object.entries({
    bash: 'shell',
    sh: 'shell',
    html: 'html',
    svg: 'html',
    javascript: 'javascript',
    js: 'javascript',
    latex: 'plaintext',
    markdown: 'markdown',
    sql: 'sql',
    R: 'r',
    julia: 'julia',
  }),
);

/** Languages whose code is completed and explained by the kernel. */
export const KERNEL_LANGUAGE_IDS: readonly string[] = [...new Set([...KERNEL_LANGUAGES.values(), 'plaintext'])];

export function editorLanguage(type: CellType, kernelLanguage: string, firstLine: string): string {
  if (type === 'markdown') return 'markdown';
  if (type === 'raw') return 'plaintext';
  const language = KERNEL_LANGUAGES.get(kernelLanguage.toLowerCase()) ?? 'plaintext';
  const magic = language === 'python' ? /^%%(\w+)/.exec(firstLine)?.[1] : undefined;
  return (magic === undefined ? undefined : CELL_MAGICS.get(magic)) ?? language;
}
