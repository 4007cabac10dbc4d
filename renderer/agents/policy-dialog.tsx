/** What an agent may do by itself, what it must ask for, and what it is refused: one row per permission. Each choice counts at once. */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import type { AgentView, Decision, Permission } from '../../preload/agent-sessions.ts';
import { decisionSchema, PERMISSIONS } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import { AgentDot } from './agent-mark.tsx';
import { DECISION_WORDS, PERMISSION_WORDS } from './call-words.ts';
import styles from './policy-dialog.module.css';

export function PolicyDialog({ agent, onClose }: { agent: AgentView; onClose: () => void }): JSX.Element {
  const { steering } = useApp().agents;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.scrim} />
        <Dialog.Content className={styles.dialog}>
          <header className={styles.head}>
            <AgentDot hue={agent.hue} />
            <Dialog.Title className={styles.title}>What {agent.name} may do</Dialog.Title>
            <Dialog.Close className={styles.close} aria-label="Close">
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </header>
          <Dialog.Description className={styles.note}>Only you can change this; the agent can not.</Dialog.Description>
          <div className={styles.rows}>
            {PERMISSIONS.map((permission) => (
              <Row
                key={permission}
                permission={permission}
                value={agent.policy[permission]}
                onChange={(decision) => void steering.setPolicy(agent.id, { ...agent.policy, [permission]: decision })}
              />
            ))}
          </div>
          {agent.folders.length > 0 && (
            <>
              <p className={styles.note}>It reaches {agent.folders.length === 1 ? 'this folder' : 'these folders'} and nothing else:</p>
              <ul className={styles.folders}>
                {agent.folders.map((folder) => (
                  <li key={folder}>{folder}</li>
                ))}
              </ul>
            </>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface RowProps {
  permission: Permission;
  value: Decision;
  onChange: (decision: Decision) => void;
}

function Row({ permission, value, onChange }: RowProps): JSX.Element {
  const { title, doing } = PERMISSION_WORDS[permission];
  return (
    <fieldset className={styles.row}>
      <legend className={styles.legend}>
        {title} <span className={styles.doing}>{doing}</span>
      </legend>
      <div className={styles.choices}>
        {decisionSchema.options.map((decision) => (
          <label key={decision} className={styles.choice} data-decision={decision}>
            <input
              type="radio"
              className={styles.radio}
              name={`policy-${permission}`}
              value={decision}
              checked={decision === value}
              onChange={() => onChange(decision)}
            />
            <span className={styles.word}>{DECISION_WORDS[decision]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
