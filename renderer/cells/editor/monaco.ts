/**
 * The editor library, set up once: worker, languages, themes from the design tokens, completion and hover from the kernel.
 * Loaded by a dynamic import, so that the window is drawn before it; nothing else imports the library's values.
 */
import { editor, KeyCode, languages } from 'monaco-editor/editor';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import 'monaco-editor/features/register.all';
import 'monaco-editor/languages/definitions/cpp/register';
import 'monaco-editor/languages/definitions/go/register';
import 'monaco-editor/languages/definitions/html/register';
import 'monaco-editor/languages/definitions/javascript/register';
import 'monaco-editor/languages/definitions/julia/register';
import 'monaco-editor/languages/definitions/lua/register';
import 'monaco-editor/languages/definitions/markdown/register';
import 'monaco-editor/languages/definitions/python/register';
import 'monaco-editor/languages/definitions/r/register';
import 'monaco-editor/languages/definitions/ruby/register';
import 'monaco-editor/languages/definitions/rust/register';
import 'monaco-editor/languages/definitions/scala/register';
import 'monaco-editor/languages/definitions/shell/register';
import 'monaco-editor/languages/definitions/sql/register';
import 'monaco-editor/languages/definitions/typescript/register';
import { registerKernelProviders } from './kernel-providers.ts';
import { themeData } from './monaco-theme.ts';
import { pythonSyntax } from './python-syntax.ts';

self.MonacoEnvironment = { getWorker: () => new EditorWorker() };

const THEME = 'cellwright';

/** Reads the tokens that hold now; called again after every change of theme. */
export function applyMonacoTheme(): void {
  const style = getComputedStyle(document.documentElement);
  editor.defineTheme(
    THEME,
    themeData((token) => style.getPropertyValue(token).trim(), document.documentElement.dataset.theme ?? 'light'),
  );
  editor.setTheme(THEME);
}

/** Overflowing parts (suggestions, hovers) are drawn here, above the page and outside of any cell that might clip them. */
export const overflowNode = document.createElement('div');

async function setUp(): Promise<void> {
  overflowNode.className = 'monaco-editor cellwright-overflow';
  document.body.append(overflowNode);
  languages.setMonarchTokensProvider('python', pythonSyntax);
  registerKernelProviders();
  // The editor measures its font once: before the font is there it would measure another.
  await document.fonts.load('13px "JetBrains Mono Variable"').catch(() => []);
  editor.remeasureFonts();
  applyMonacoTheme();
}

/** Resolves when editors can be made. */
export const monacoReady: Promise<void> = setUp();

export { editor, KeyCode };
