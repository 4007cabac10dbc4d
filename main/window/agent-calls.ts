/**
 * The calls of a window about agents: each is a word to the registry of agent sessions, which decides alone. Exports are the only ones with
 * a dialog; the timeline is asked for after the place is chosen, so that it holds what happened until then.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentCalls, AgentWatch } from '../../preload/agent-sessions.ts';
import { clientConfigurations, type ServerCommand } from '../agents/client-configurations.ts';
import type { Endpoint } from '../agents/endpoint-file.ts';
import { ActionError } from './failure.ts';
import type { CallHandlers } from './ipc-router.ts';
import type { ExportKind, PageWindow } from './page-window.ts';

export interface AgentCallsOptions {
  watch: AgentWatch;
  /** Where exports are offered to be saved. */
  folder: string;
  /** What starts an agent's server, the folder it is to reach, and the server of this app. */
  connect: { command: ServerCommand; folder: () => string; endpoint: Endpoint | null };
  copyText: (text: string) => void;
}

/** Stands for the token where it is only looked at. */
const HIDDEN = '…';

export type AgentCallHandlers = Pick<CallHandlers<PageWindow>, keyof AgentCalls>;

export function agentCalls({ watch, folder, connect, copyText }: AgentCallsOptions): AgentCallHandlers {
  const clients = (endpoint: Endpoint | null) => clientConfigurations(connect.command, connect.folder(), endpoint);
  const exportAs = async (window: PageWindow, agentId: string, kind: Export, content: () => Promise<string>) => {
    const suggested = path.join(folder, `${fileStem(nameOf(watch, agentId))}${kind.ending}`);
    const target = await window.askForExportPath(suggested, kind);
    if (target !== null) await writeFile(target, await content());
    return { path: target };
  };
  return {
    'agents.list': () => watch.agents(),
    'agents.calls': (_window, { agentId, before, limit }) => watch.calls(agentId, { before, limit }),
    'agents.pause': (_window, { agentId }) => done(watch.pause(agentId)),
    'agents.resume': (_window, { agentId }) => done(watch.resume(agentId)),
    'agents.takeOver': (_window, { agentId }) => done(watch.takeOver(agentId)),
    'agents.giveBack': (_window, { agentId }) => done(watch.giveBack(agentId)),
    'agents.stop': (_window, { agentId }) => done(watch.stop(agentId)),
    'agents.decide': (_window, { callId, approval }) => done(watch.decide(callId, approval)),
    'agents.undoTurn': async (_window, { agentId, turn }) => ({ left: await watch.undoTurn(agentId, turn) }),
    'agents.setPolicy': (_window, { agentId, policy }) => done(watch.setPolicy(agentId, policy)),
    'agents.exportTimeline': (window, { agentId }) => exportAs(window, agentId, TIMELINE, () => watch.exportTimeline(agentId)),
    'agents.exportNotebook': (window, { agentId }) => exportAs(window, agentId, NOTEBOOK, () => watch.exportNotebook(agentId)),
    'agents.clients': () => clients(connect.endpoint && { ...connect.endpoint, token: HIDDEN }),
    'agents.copyClient': (_window, { client }) => {
      const found = clients(connect.endpoint).find((one) => one.client === client);
      if (!found) throw new ActionError('no-client', `There is no configuration for ${client}.`, 'Choose one of the list.');
      copyText(found.text);
      return null;
    },
  };
}

/** `ending` is what the suggested file name ends with. */
type Export = ExportKind & { ending: string };

const TIMELINE: Export = { label: 'Web page', extension: 'html', ending: '-timeline.html' };
const NOTEBOOK: Export = { label: 'Jupyter notebook', extension: 'ipynb', ending: '-session.ipynb' };

function nameOf(watch: AgentWatch, agentId: string): string {
  const agent = watch.agents().find(({ id }) => id === agentId);
  if (!agent) throw new ActionError('no-agent', 'This agent is not known any more.', 'Its timeline is kept with its session.');
  return agent.name;
}

/** A name an agent gave itself as the beginning of a file's name: it may hold anything, path separators too. */
export function fileStem(name: string): string {
  const stem = name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 80);
  return stem === '' ? 'agent' : stem;
}

async function done(work: void | Promise<void>): Promise<null> {
  await work;
  return null;
}
