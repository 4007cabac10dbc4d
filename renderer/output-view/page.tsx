/**
 * The page that main takes pictures of: the outputs of one cell, drawn by the parts that the window draws them with. It says in the element's own
 * data when it is drawn or could not be; main watches that and everything else from outside.
 */
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import type { JSX } from 'react';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { WindowOutput } from '../../preload/contract.ts';
import { CellOutputs } from '../outputs/cell-outputs.tsx';
import { remember } from '../outputs/view-state.ts';
import { windowBridge } from '../shell/bridge.ts';
import '../shell/base.css';
import '../shell/tokens.css';
import styles from './page.module.css';

const query = new URLSearchParams(location.search);
const docId = query.get('docId') ?? '';
const cellKey = query.get('cellKey') ?? '';
const index = query.get('index');

type Asked = { outputs: readonly WindowOutput[] } | { failed: string } | null;

function Page(): JSX.Element {
  const [asked, setAsked] = useState<Asked>(null);
  useEffect(() => void ask().then(setAsked), []);
  const failed = asked && 'failed' in asked ? asked.failed : undefined;
  return (
    <main id="view" className={styles.view} data-drawn={asked && !failed ? '' : undefined} data-failed={failed}>
      {asked && 'outputs' in asked && (
        <CellOutputs
          docId={docId}
          cellKey={cellKey}
          outputs={asked.outputs}
          trusted={query.has('trusted')}
          stale={null}
          onTrust={() => undefined}
        />
      )}
    </main>
  );
}

async function ask(): Promise<Asked> {
  const answer = await windowBridge().call('doc.outputs', { docId, keys: [cellKey] });
  if (!answer.ok) return { failed: answer.error.message };
  const all = answer.value[cellKey] ?? [];
  return { outputs: index === null ? all : all.slice(Number(index), Number(index) + 1) };
}

document.documentElement.dataset.theme = query.get('theme') ?? 'light';
if (query.has('whole')) remember(`${docId}/${cellKey}/all`, true);
const root = document.getElementById('root');
if (root) createRoot(root).render(<Page />);
