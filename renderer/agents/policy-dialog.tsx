/**
 * What an agent may do by itself, what it must ask for, and what it is refused: one row per permission. Each choice counts at once; what main
 * says is shown again only when no choice is on its way, else a quick second choice would start from the policy before the first.
 */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { JSX } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { AgentPolicy, AgentView, Decision, Permission } from '../../preload/agent-sessions.ts';
import { decisionSchema, PERMISSIONS } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import dialog from '../shell/dialog.module.css';
import iconButton from '../shell/icon-button.module.css';
import { AgentDot } from './agent-mark.tsx';
import { DECISION_WORDS, PERMISSION_WORDS } from './call-words.ts';
import styles from './policy-dialog.module.css';

interface PolicyDialogProps {
  agent: AgentView;
  onClose: () => void;
  /** Where the keyboard goes afterwards. */
  onClosed: () => void;
}

export function PolicyDialog({ agent, onClose, onClosed }: PolicyDialogProps): JSX.Element {
  const { steering } = useApp().agents;
  const [policy, setPolicy] = useState<AgentPolicy>(agent.policy);
  const underWay = useRef(0);
  useEffect(() => {
    if (underWay.current === 0) setPolicy(agent.policy);
  }, [agent.policy]);
  const choose = async (permission: Permission, decision: Decision) => {
    const next = { ...policy, [permission]: decision };
    setPolicy(next);
    underWay.current += 1;
    const arrived = await steering.setPolicy(agent.id, next);
    underWay.current -= 1;
    if (!arrived) setPolicy(agent.policy);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog.scrim} />
        <Dialog.Content
          className={`${dialog.sheet} ${dialog.centred} ${styles.dialog}`}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            onClosed();
          }}
        >
          <header className={styles.head}>
            <AgentDot hue={agent.hue} />
            <Dialog.Title className={styles.title}>What {agent.name} may do</Dialog.Title>
            <Dialog.Close className={iconButton.button} aria-label="Close">
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </header>
          <Dialog.Description className={styles.note}>Only you can change this; the agent cannot.</Dialog.Description>
          <div className={styles.rows}>
            {PERMISSIONS.map((permission) => (
              <Row
                key={permission}
                permission={permission}
                value={policy[permission]}
                onChange={(decision) => void choose(permission, decision)}
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
