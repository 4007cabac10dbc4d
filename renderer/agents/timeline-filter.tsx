/** Search and filters of a timeline: words, and of each of tool, state and turn one or all. */
import type { JSX } from 'react';
import { useEffect, useRef } from 'react';
import type { AgentCall, AgentCallState } from '../../preload/agent-sessions.ts';
import { STATE_WORDS } from './call-words.ts';
import type { TimelineFilter } from './timeline-rows.ts';
import { filterChoices } from './timeline-rows.ts';
import styles from './timeline-view.module.css';

interface TimelineFilterBarProps {
  calls: readonly AgentCall[];
  filter: TimelineFilter;
  onFilter: (filter: TimelineFilter) => void;
  /** Asks for the whole timeline: a search must not miss what was not loaded. */
  onOpen: () => void;
}

export function TimelineFilterBar({ calls, filter, onFilter, onOpen }: TimelineFilterBarProps): JSX.Element {
  const { tools, turns } = filterChoices(calls);
  const input = useRef<HTMLInputElement>(null);
  const opened = useRef(onOpen);
  useEffect(() => {
    input.current?.focus();
    opened.current();
  }, []);
  const set = (change: Partial<TimelineFilter>) => onFilter({ ...filter, ...change });
  return (
    <search className={styles.filter}>
      <input
        ref={input}
        type="search"
        className={styles.search}
        placeholder="Search calls"
        aria-label="Search calls"
        value={filter.text}
        onChange={(event) => set({ text: event.target.value })}
      />
      <div className={styles.choices}>
        <Choice
          label="Tool"
          all="All tools"
          value={filter.tool}
          options={tools.map((tool) => [tool, tool])}
          onChange={(tool) => set({ tool })}
        />
        <Choice
          label="State"
          all="All states"
          value={filter.state}
          options={Object.entries(STATE_WORDS)}
          onChange={(state) => set({ state: state as AgentCallState | '' })}
        />
        <Choice
          label="Turn"
          all="All turns"
          value={filter.turn === 0 ? '' : String(filter.turn)}
          options={turns.map((turn) => [String(turn), `Turn ${turn}`])}
          onChange={(turn) => set({ turn: Number(turn) })}
        />
      </div>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps): JSX.Element {
  return (
    <select
      className={styles.choice}
      aria-label={label}
      data-set={value !== ''}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
  );
}
