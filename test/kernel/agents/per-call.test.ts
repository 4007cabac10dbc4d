/** `python` with a fresh kernel for each call, as a person may set it: nothing stays, and the agent is told so. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type McpFixture, openMcp, type TestAgent, textOf } from './mcp-fixture.ts';

let fixture: McpFixture;
let agent: TestAgent;

beforeAll(async () => {
  fixture = await openMcp();
  fixture.env.CELLWRIGHT_PYTHON_KERNEL = 'per-call';
  agent = await fixture.agent({ name: 'fresh' });
});
afterAll(() => fixture?.close());

test('cells of one call share a kernel, calls do not, and no kernel is left', async () => {
  const first = await agent.text('python', { cells: [{ code: 'kept = 41' }, { code: 'kept + 1' }], timeout: 90 });
  expect(first).toContain('42');
  expect(first).toContain('fresh kernel');
  const second = await agent.call('python', { cells: [{ code: 'kept' }], timeout: 90 });
  expect(textOf(second)).toContain('NameError');
  expect(textOf(second)).not.toMatch(/state of earlier cells is kept/i);
  expect(await agent.text('kernel', { action: 'list' })).toMatch(/^No kernels/);
});
