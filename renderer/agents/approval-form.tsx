/**
 * The person's answer to a call that asks: approve, or refuse with a reason that the agent reads. The buttons are dead from the first press
 * until the call goes on, so that one answer is never given twice.
 */
import type { JSX, KeyboardEvent } from 'react';
import { useId, useRef, useState } from 'react';
import type { AgentCall } from '../../preload/agent-sessions.ts';
import { useApp } from '../shell/app.ts';
import buttons from '../shell/button.module.css';
import styles from './approval-form.module.css';
import { approvalQuestion, PERMISSION_WORDS } from './call-words.ts';

export function ApprovalForm({ call, agentName }: { call: AgentCall; agentName: string }): JSX.Element {
  const { steering } = useApp().agents;
  const [always, setAlways] = useState(false);
  const [reason, setReason] = useState<string | null>(null);
  const [sent, setSent] = useState(false);
  const question = useId();
  const form = useRef<HTMLDivElement>(null);
  const decide = async (approve: boolean) => {
    setSent(true);
    // Its buttons go: the keyboard stays with the card and does not fall to the notebook.
    form.current?.closest('article')?.focus({ preventScroll: true });
    const arrived = await steering.decide(call.id, { approve, reason: approve ? '' : (reason ?? ''), always });
    if (!arrived) setSent(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void decide(false);
    else if (event.key === 'Escape') setReason(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const permission = PERMISSION_WORDS[call.needs].title.toLowerCase();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend of its own
    <div ref={form} className={styles.form} role="group" aria-labelledby={question}>
      <p className={styles.question} id={question}>
        {approvalQuestion(call, agentName)}
      </p>
      {reason !== null && (
        <textarea
          className={styles.reason}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to write it
          autoFocus
          rows={2}
          maxLength={2000}
          placeholder={`Why not? ${agentName} reads this.`}
          aria-label={`Reason for ${agentName}`}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <div className={styles.answers}>
        <button type="button" className={`${buttons.button} ${buttons.main}`} disabled={sent} onClick={() => void decide(true)}>
          Approve
        </button>
        <button
          type="button"
          className={`${buttons.button} ${buttons.danger}`}
          disabled={sent}
          onClick={() => (reason === null ? setReason('') : void decide(false))}
        >
          {reason === null ? 'Refuse…' : 'Refuse'}
        </button>
        <label className={styles.always} title={`Answer the same way from now on when ${agentName} needs “${permission}”`}>
          <input type="checkbox" checked={always} disabled={sent} onChange={(event) => setAlways(event.target.checked)} />
          Always for {permission}
        </label>
      </div>
    </div>
  );
}
