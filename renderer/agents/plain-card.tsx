/** Any other tool: what it did in one line, and more of it on demand. */
import type { JSX } from 'react';
import type { AgentCall, CallCard } from '../../preload/agent-sessions.ts';
import { openKey } from './card-heights.ts';
import styles from './card-parts.module.css';
import { ErrorBlock, isErrorText } from './notebook-card.tsx';
import { SourceBlock } from './source-block.tsx';

export function PlainCard({ call, card }: { call: AgentCall; card: Extract<CallCard, { kind: 'plain' }> }): JSX.Element {
  return (
    <>
      {isErrorText(card.summary) ? (
        <ErrorBlock text={card.summary} path={null} />
      ) : (
        card.summary !== '' && <p className={styles.summary}>{card.summary}</p>
      )}
      {card.detail !== null && card.detail !== '' && (
        <SourceBlock source={card.detail} language={null} hint={null} stateKey={openKey(call.id, 'source')} />
      )}
    </>
  );
}
