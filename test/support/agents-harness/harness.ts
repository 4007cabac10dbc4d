/**
 * The real window over main in memory, with scripted agents behind its bridge. The query says what to show:
 * `?scene=populated|many|empty&cards=1000&theme=light|dark|high-contrast`. Tests reach the script by `window.scripted`.
 */
import type { Bridge, ThemeChoice } from '../../../preload/contract.ts';
import { attachKernel } from '../renderer-harness/fake-kernel.ts';
import { FakeMain } from '../renderer-harness/fake-main.ts';
import { SALES } from '../renderer-harness/sample-notebooks.ts';
import { connectAgents } from './connect-agents.ts';
import { tellMany, tellMorning, tellNow } from './sample-calls.ts';
import { ScriptedAgents } from './scripted-agents.ts';

const query = new URLSearchParams(location.search);
const scene = query.get('scene') ?? 'populated';
const main = new FakeMain();
const agents = new ScriptedAgents();
attachKernel(main);
connectAgents(main, agents);
main.handlers.set('files.list', () => []);
main.notebooks.set(SALES.path ?? '', SALES);
main.start = { ...main.start, theme: (query.get('theme') ?? 'light') as ThemeChoice, open: [SALES.path ?? ''] };
const DOC = 'doc-1';

if (scene === 'populated') {
  agents.come({
    id: 'refactor',
    client: 'claude-code 2.1.0',
    startedAt: Date.now() - 1_500_000,
    folders: ['/home/ada/project', '/home/ada/data'],
  });
  tellMorning(agents, 'refactor', DOC);
  tellNow(agents, 'refactor', DOC);
  agents.change('refactor', { cursor: { docId: DOC, key: 'fit' } });
  agents.come({ id: 'plots', client: 'codex 0.40', cursor: { docId: DOC, key: 'clean' } });
  agents.come({ id: 'docs', client: 'cursor 1.9', paused: true });
  agents.put({
    agentId: 'docs',
    state: 'waiting',
    waitingFor: 'Paused by you: it waits until you resume.',
    card: { kind: 'plain', title: 'outline', summary: '', detail: null },
  });
  agents.come({ id: 'a very long name of an agent that named itself', client: 'x', takenOver: true });
  agents.come({ id: 'tests', connected: false });
}
if (scene === 'many') {
  agents.come({ id: 'refactor', client: 'claude-code 2.1.0' });
  tellMany(agents, 'refactor', Number(query.get('cards') ?? 1000));
}
Object.assign(window, { cellwright: main.bridge satisfies Bridge, fakeMain: main, scripted: agents });
await import('../../../renderer/index.tsx');
