/** Puts a watch behind the bridge of main in memory: the calls by the same schemas, the events as they come. */
import { type AgentCalls, type AgentWatch, agentCallSchemas } from '../../../preload/agent-sessions.ts';
import type { FakeMain } from '../renderer-harness/fake-main.ts';

type Handlers = { [N in keyof AgentCalls]: (args: AgentCalls[N]['args']) => unknown };

export function connectAgents(main: FakeMain, watch: AgentWatch): void {
  const handlers: Handlers = {
    'agents.list': () => watch.agents(),
    'agents.calls': ({ agentId, before, limit }) => watch.calls(agentId, { before, limit }),
    'agents.pause': ({ agentId }) => watch.pause(agentId),
    'agents.resume': ({ agentId }) => watch.resume(agentId),
    'agents.takeOver': ({ agentId }) => watch.takeOver(agentId),
    'agents.giveBack': ({ agentId }) => watch.giveBack(agentId),
    'agents.stop': ({ agentId }) => watch.stop(agentId),
    'agents.decide': ({ callId, approval }) => watch.decide(callId, approval),
    'agents.undoTurn': async ({ agentId, turn }) => ({ left: await watch.undoTurn(agentId, turn) }),
    'agents.setPolicy': ({ agentId, policy }) => watch.setPolicy(agentId, policy),
    'agents.exportTimeline': () => ({ path: '/home/ada/timeline.html' }),
    'agents.exportNotebook': () => ({ path: '/home/ada/session.ipynb' }),
    'agents.clients': () => [],
    'agents.copyClient': () => null,
  };
  for (const [name, handle] of Object.entries(handlers) as [keyof AgentCalls, (args: unknown) => unknown][]) {
    main.handlers.set(name, ((args: unknown) => handle(agentCallSchemas[name].parse(args))) as never);
  }
  watch.onAgents((agents) => main.emit('agents.changed', { agents }));
  watch.onCalls((calls) => main.emit('agents.calls', { calls }));
}
