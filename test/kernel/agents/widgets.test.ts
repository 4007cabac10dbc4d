/** Output widgets where no window shows them: what they take in is in the answers and, since no cell has it, in the file with their state. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedModel } from '../../../main/widgets/stored-state.ts';
import { code, type McpFixture, openMcp, type TestAgent } from './mcp-fixture.ts';

let fixture: McpFixture;
let agent: TestAgent;

beforeAll(async () => {
  fixture = await openMcp();
  agent = await fixture.agent();
});
afterAll(() => fixture?.close());

const lines = (text: string) => text.split('\n').filter((line) => /^\| (before|inside|after)/.test(line));

test('are told in their place and kept', async () => {
  await fixture.notebook('output.ipynb', [
    code(
      'c0',
      'import ipywidgets as w\nout = w.Output()\nprint("before")\nwith out:\n    print("inside")\ndisplay(w.VBox([out]))\nprint("after")',
    ),
    code('c1', 'with out:\n    print("inside again")'),
    code('c2', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)'),
  ]);
  const at = { notebook_path: 'output.ipynb' };
  expect(lines(await agent.text('notebook_run', { ...at, cell_id: 'c0' }))).toEqual(['| before', '| inside', '| after']);
  expect(lines(await agent.text('notebook_run', { ...at, cell_id: 'c1' }))).toEqual(['| inside again']);
  expect(await stored()).toMatch(/^inside\ninside again\n$/);
  const ended = await agent.call('notebook_run', { ...at, cell_id: 'c2' });
  expect(ended.structuredContent).toMatchObject({ failure: { kind: 'kernel_dead' } });
  expect(await stored()).toMatch(/^inside\ninside again\n$/);
});

/** What the file has of the widget that the first cell shows. */
async function stored(): Promise<string> {
  const { cells, metadata } = (await fixture.read('output.ipynb')) as Awaited<ReturnType<McpFixture['read']>> & {
    metadata: { widgets: unknown };
  };
  const shown = cells[0]?.outputs?.find((output) => 'data' in output)?.data as Record<string, { model_id: string }>;
  const box = storedModel(metadata.widgets, shown['application/vnd.jupyter.widget-view+json']!.model_id)!;
  const [child] = box.state.children as [string];
  const { outputs } = storedModel(metadata.widgets, child.replace('IPY_MODEL_', ''))!;
  return outputs.map((output) => (output.type === 'stream' ? output.text : output.type)).join('');
}
