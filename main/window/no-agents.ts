/** A watch over nobody: what windows see of agents where no agent can connect. */
import type { AgentWatch } from '../../preload/agent-sessions.ts';
import { ActionError } from './failure.ts';

const nobody = (): never => {
  throw new ActionError('no-agent', 'There is no such agent.');
};

export const noAgents: AgentWatch = {
  agents: () => [],
  calls: nobody,
  pause: nobody,
  resume: nobody,
  takeOver: nobody,
  giveBack: nobody,
  stop: nobody,
  decide: nobody,
  undoTurn: nobody,
  setPolicy: nobody,
  exportTimeline: nobody,
  exportNotebook: nobody,
  onAgents: () => () => {},
  onCalls: () => () => {},
};
