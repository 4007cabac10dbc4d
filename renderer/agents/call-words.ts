/** A call and its agent in words: for cards, for the section's head, and for a screen reader. Pure. */
import type { AgentCall, AgentCallState, AgentView, CardCell, Decision, Permission } from '../../preload/agent-sessions.ts';
import { spokenTime } from '../cells/time.ts';
import { countWords } from '../outputs/amounts.ts';

export const STATE_WORDS: Readonly<Record<AgentCallState, string>> = {
  waiting: 'waiting',
  approval: 'asks you',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'stopped',
  refused: 'refused',
};

export const PERMISSION_WORDS: Readonly<Record<Permission, { title: string; doing: string }>> = {
  read: { title: 'Read', doing: 'read notebooks and outputs' },
  edit: { title: 'Edit', doing: 'edit cells' },
  run: { title: 'Run', doing: 'run code' },
  install: { title: 'Install', doing: 'install packages' },
  delete: { title: 'Delete', doing: 'delete cells and outputs' },
  restart: { title: 'Restart', doing: 'restart or shut down kernels' },
};

export const DECISION_WORDS: Readonly<Record<Decision, string>> = { allow: 'Allow', ask: 'Ask me', deny: 'Refuse' };

export function isFinal(call: AgentCall): boolean {
  return call.state === 'done' || call.state === 'failed' || call.state === 'cancelled' || call.state === 'refused';
}

/** What the agent does now. `live` are its calls that are not over. */
export function agentWords(agent: AgentView, live: readonly AgentCall[]): string {
  if (!agent.connected) return 'left';
  const asks = live.filter(({ state }) => state === 'approval').length;
  if (asks > 0) return asks === 1 ? 'asks you' : `${asks} questions`;
  if (agent.takenOver) return 'taken over';
  const running = live.find(({ state }) => state === 'running');
  if (agent.paused) return running ? 'pausing' : 'paused';
  if (running) return `runs ${running.tool}`;
  return live.length > 0 ? 'waiting' : 'idle';
}

/** Why the agent does not go on, in one sentence, and since when where that is known. */
export interface Hold {
  words: string;
  since: number | null;
  /** It is the person's turn: they took over, or are asked. */
  yours: boolean;
}

/** A pause or a takeover, and else what its oldest call waits for; null when nothing holds it up. `live` are its calls that are not over. */
export function holdOf(agent: AgentView, live: readonly AgentCall[]): Hold | null {
  if (!agent.connected) return null;
  if (agent.takenOver) {
    return { words: 'You have taken over: it may read, and everything else is refused until you give back.', since: null, yours: true };
  }
  const waiting = live.find(({ state }) => state === 'waiting');
  if (agent.paused) {
    const words = waiting ? 'Paused: its call waits until you resume.' : 'Paused: its next call waits until you resume.';
    return { words, since: waiting?.waitingSince ?? null, yours: false };
  }
  const waits = live.find(({ state }) => state === 'waiting' || state === 'approval');
  if (!waits) return null;
  const asks = waits.state === 'approval';
  return { words: asks ? 'Waits for your answer.' : (waits.waitingFor ?? 'Waits.'), since: waits.waitingSince, yours: asks };
}

/** What the card is about, in a few words beside the tool's name. */
export function callSubject({ card }: AgentCall): string {
  if (card.kind === 'notebook') return card.action;
  if (card.kind === 'plain') return card.title;
  return cellsProgress(card.cells);
}

/** `2 cells` before and after, `1/2` while they run. */
export function cellsProgress(cells: readonly CardCell[]): string {
  const over = cells.filter(({ status }) => status === 'complete' || status === 'error').length;
  const isUnderWay = cells.length > 1 && cells.some(({ status }) => status === 'running');
  return isUnderWay ? `${over + 1}/${cells.length}` : countWords(cells.length, 'cell');
}

/** The last part of a path, which is what tells notebooks apart. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) || path;
}

/** `14:03:22` */
export function clockTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** A card for a screen reader: `notebook edit, failed after 2 seconds, analysis.ipynb, cell index 4`. */
export function callLabel(call: AgentCall): string {
  const { card } = call;
  const time = call.endedAt === null ? '' : ` after ${spokenTime(call.endedAt - call.startedAt)}`;
  const parts = [`${call.tool} ${callSubject(call)}`, `${STATE_WORDS[call.state]}${call.state === 'running' ? '' : time}`];
  if (call.waitingFor !== null) parts.push(call.waitingFor.replace(/[.?]$/, ''));
  if (card.kind === 'notebook') parts.push(fileName(card.path));
  if (card.kind === 'notebook' && card.cellIndex !== null) parts.push(`cell index ${card.cellIndex}`);
  if (card.kind === 'cells' && card.path !== null) parts.push(fileName(card.path));
  return parts.join(', ');
}

/** The question of a call that waits for approval. */
export function approvalQuestion(call: AgentCall, agentName: string): string {
  return call.waitingFor ?? `${agentName} asks to ${PERMISSION_WORDS[call.needs].doing}.`;
}

/** A cell's heading: its title, else the first line that says something. */
export function cellHeading(cell: CardCell, index: number): string {
  if (cell.title.trim() !== '') return cell.title;
  const line = cell.code.split('\n', 20).find((each) => each.trim() !== '');
  return line?.trim() ?? `Cell ${index + 1}`;
}
