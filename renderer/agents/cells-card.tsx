/** A call that runs code: one part per cell, each with its state, its code and what came out of it so far. */
import type { JSX } from 'react';
import type { AgentCall, CallCard } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import { fileName } from './call-words.ts';
import { CardCellView } from './card-cell.tsx';
import styles from './card-parts.module.css';
import { ErrorBlock, isErrorText } from './notebook-card.tsx';

export function CellsCard({ call, card }: { call: AgentCall; card: Extract<CallCard, { kind: 'cells' }> }): JSX.Element {
  const { agents, workspace } = useApp();
  const { docId, cellKeys } = call;
  const notebook = workspace.state.get().tabs.find(({ client }) => client.docId === docId);
  const language = call.tool === 'python' ? 'python' : (notebook?.client.kernel.language ?? null);
  const place = card.path ?? card.cwd;
  return (
    <>
      <div className={styles.place} title={place}>
        <span className={styles.file}>{card.path === null ? `in ${fileName(card.cwd)}` : fileName(card.path)}</span>
      </div>
      {card.cells.map((cell, index) => {
        const key = cellKeys[index];
        return (
          <CardCellView
            // Cells of a call have no identity but their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={index}
            callId={call.id}
            cell={cell}
            index={index}
            language={language}
            asks={call.state === 'approval'}
            inNotebook={card.path !== null}
            onShow={docId === null || key === undefined ? null : () => void agents.showCell(card.path, docId, key)}
          />
        );
      })}
      {isErrorText(card.summary) ? (
        <ErrorBlock text={card.summary} path={card.path} />
      ) : (
        card.summary !== '' && <p className={styles.summary}>{card.summary}</p>
      )}
    </>
  );
}
