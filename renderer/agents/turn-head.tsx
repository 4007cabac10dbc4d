/** Where a turn begins: its number, when, how many calls, and the way to take all of it back. */
import { Undo2 } from 'lucide-react';
import type { JSX } from 'react';
import { countWords } from '../outputs/amounts.ts';
import { useApp } from '../shell/app.ts';
import { IconButton } from '../shell/icon-button.tsx';
import { clockTime } from './call-words.ts';
import styles from './timeline-list.module.css';
import type { TurnRow } from './timeline-rows.ts';

interface TurnHeadProps {
  row: TurnRow;
  agentId: string;
  agentName: string;
}

export function TurnHead({ row, agentId, agentName }: TurnHeadProps): JSX.Element {
  const { steering } = useApp().agents;
  return (
    <h4 className={styles.turn} style={{ margin: 0, fontWeight: 'inherit' }}>
      <span className={styles.turnName}>Turn {row.turn}</span>
      <span className={styles.number}>{clockTime(row.startedAt)}</span>
      <span className={styles.number}>{countWords(row.calls, 'call')}</span>
      <span className={styles.line} />
      {row.changed && (
        <IconButton
          className={styles.undo}
          icon={Undo2}
          size={13}
          label={`Undo turn ${row.turn}: its edits, and nobody else’s`}
          onClick={() => void steering.undoTurn(agentId, row.turn, agentName)}
        />
      )}
    </h4>
  );
}
