/**
 * The window's start: fonts, tokens, the app, the first drawing. The editor library is asked for at once but not waited for.
 */
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { createRoot } from 'react-dom/client';
import { loadEditorLibrary } from './cells/editor/tokenizer.ts';
import { App, AppContext } from './shell/app.ts';
import { windowBridge } from './shell/bridge.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Frame } from './shell/frame.tsx';
import './shell/base.css';
import './shell/tokens.css';

const app = new App(windowBridge());
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <ErrorBoundary what="The window">
      <AppContext value={app}>
        <Frame />
      </AppContext>
    </ErrorBoundary>,
  );
}

void app.begin();
void loadEditorLibrary().then(({ monaco }) => {
  app.theme.state.subscribe(() => monaco.applyMonacoTheme());
});
