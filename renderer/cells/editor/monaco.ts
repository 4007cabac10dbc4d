/**
 * The editor library, set up once: worker, languages, themes from the design tokens, completion and hover from the kernel.
 * Only the features that a cell needs: the library's own palette and outline would stand beside the window's. Loaded by a dynamic import,
 * so that the window is drawn before it; nothing else imports the library's values.
 */
import { editor, KeyCode, languages } from 'monaco-editor/editor';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
// The features named `suggest` and `caretOperations` leave their main part to others that are not taken here.
import 'monaco-editor/editor/contrib/caretOperations/browser/caretOperations';
import 'monaco-editor/editor/contrib/suggest/browser/suggestController';
import 'monaco-editor/features/bracketMatching/register';
import 'monaco-editor/features/caretOperations/register';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/codeEditor/register';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/comment/register';
import 'monaco-editor/features/contextmenu/register';
import 'monaco-editor/features/cursorUndo/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/hover/register';
import 'monaco-editor/features/indentation/register';
import 'monaco-editor/features/lineSelection/register';
import 'monaco-editor/features/linesOperations/register';
import 'monaco-editor/features/longLinesHelper/register';
import 'monaco-editor/features/multicursor/register';
import 'monaco-editor/features/readOnlyMessage/register';
import 'monaco-editor/features/smartSelect/register';
import 'monaco-editor/features/snippet/register';
import 'monaco-editor/features/suggest/register';
import 'monaco-editor/features/toggleTabFocusMode/register';
import 'monaco-editor/features/unicodeHighlighter/register';
import 'monaco-editor/features/unusualLineTerminators/register';
import 'monaco-editor/features/wordHighlighter/register';
import 'monaco-editor/features/wordOperations/register';
import 'monaco-editor/features/wordPartOperations/register';
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
