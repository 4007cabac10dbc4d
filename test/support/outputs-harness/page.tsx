/**
 * The outputs' test page: draws what the test asks for by name (`?show=`), or one of everything. `window.harness` lets a test change the
 * outputs and read what the page asked of the bridge.
 */
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { StrictMode, useCallback, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import type { StaleReason, WindowOutput } from '../../../preload/contract.ts';
import { CellOutputs } from '../../../renderer/outputs/cell-outputs.tsx';
import { ImageViewer } from '../../../renderer/outputs/image-viewer.tsx';
import { Markdown } from '../../../renderer/outputs/markdown.tsx';
import '../../../renderer/shell/tokens.css';
import '../../../renderer/shell/base.css';
import './page.css';
import { samples } from './samples.ts';

interface Area {
  name: string;
  outputs: readonly WindowOutput[];
  trusted?: boolean;
  stale?: StaleReason;
}

interface Text {
  name: string;
  source: string;
  /** Addresses as they stand in the markdown, and where their images are. */
  images?: Record<string, string>;
}

export interface Harness {
  calls: { name: string; args: unknown }[];
  trusts: number;
  set(areas: Area[], texts?: Text[]): void;
  /** Replaces the outputs of the first area. */
  update(outputs: readonly WindowOutput[]): void;
}

let state: { areas: Area[]; texts: Text[] } = { areas: [], texts: [] };
const listeners = new Set<() => void>();

function show(areas: Area[], texts: Text[]): void {
  state = { areas, texts };
  for (const listener of listeners) listener();
}

const harness: Harness = {
  calls: [],
  trusts: 0,
  set: (areas, texts = []) => show(areas, texts),
  update: (outputs) => show([{ ...state.areas[0]!, outputs }, ...state.areas.slice(1)], state.texts),
};

Object.assign(window, {
  harness,
  cellwright: {
    call: (name: string, args: unknown) => {
      harness.calls.push({ name, args });
      return Promise.resolve({ ok: true, value: null });
    },
    post: () => undefined,
    on: () => () => undefined,
  },
});

// Artifacts have a scheme of their own in the app; here the server has them.
const realFetch = window.fetch.bind(window);
window.fetch = (input, init) => realFetch(String(input).replace(/^artifact:\/\/[^/]+\//, '/artifact/'), init);

function Page(): React.JSX.Element {
  const { areas, texts } = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
  return (
    <main>
      {texts.map((text) => (
        <div key={text.name} className="cell" data-text={text.name}>
          <Prose source={text.source} images={text.images} />
        </div>
      ))}
      {areas.map((area) => (
        <div key={area.name} className="cell" data-area={area.name}>
          <pre className="code">{area.name}</pre>
          <CellOutputs
            docId="doc"
            cellKey={area.name}
            outputs={area.outputs}
            trusted={area.trusted ?? false}
            stale={area.stale ?? null}
            onTrust={() => {
              harness.trusts += 1;
            }}
          />
        </div>
      ))}
      <ImageViewer onLost={() => undefined} />
    </main>
  );
}

function Prose({ source, images }: Pick<Text, 'source' | 'images'>): React.JSX.Element {
  const imageUrl = useCallback((address: string) => images?.[address] ?? null, [images]);
  return <Markdown source={source} imageUrl={imageUrl} onOpenLink={(href) => harness.calls.push({ name: 'link', args: href })} />;
}

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get('theme') ?? 'light';
if (query.has('sample')) {
  const { areas, texts } = samples(query.get('sample') ?? '');
  show(areas, texts);
}
createRoot(document.getElementById('page')!).render(
  query.has('strict') ? (
    <StrictMode>
      <Page />
    </StrictMode>
  ) : (
    <Page />
  ),
);
