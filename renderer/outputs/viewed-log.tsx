/**
 * The log of a card that is looked at. It is kept outside the card, which leaves the page when it is far from view: an agent that goes on working must
 * not close what the person reads.
 */
import type { JSX } from 'react';
import { createStore, useStore } from '../shell/store.ts';
import { ArtifactLog } from './artifact-log.tsx';

interface LogAddress {
  docId: string;
  artifactId: string;
}

export const viewedLog = createStore<LogAddress | null>(null);

export function ViewedLog({ onLost }: { onLost: () => void }): JSX.Element | null {
  const log = useStore(viewedLog);
  return log && <ArtifactLog docId={log.docId} artifactId={log.artifactId} onClose={() => viewedLog.set(null)} onLost={onLost} />;
}
