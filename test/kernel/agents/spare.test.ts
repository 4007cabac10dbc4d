/** The kernel that a server keeps ready for agents: there while one is connected, the first call's own, and not there when the settings say so. */
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type McpFixture, openMcp, until } from './mcp-fixture.ts';

let mcp: McpFixture;
beforeEach(async () => {
  mcp = await openMcp();
});
afterEach(() => mcp.close());

/** Connection files of the kernels that run. */
async function kernels(): Promise<string[]> {
  return (await readdir(mcp.env.JUPYTER_RUNTIME_DIR!).catch(() => [])).filter((name) => /^kernel-.*\.json$/.test(name)).sort();
}

it('is started when an agent comes, taken by its first call and followed by another', async () => {
  const agent = await mcp.agent();
  const [spare] = await until(async () => ((await kernels()).length === 1 ? kernels() : null), 'the spare kernel');
  const own = await agent.text('python', { cells: [{ code: 'import ipykernel\nprint(ipykernel.get_connection_file())' }] });
  expect(own).toContain(spare);
  await until(async () => (await kernels()).length === 2, 'another');
});

it('is not kept when it is switched off', async () => {
  mcp.env.CELLWRIGHT_SPARE_KERNEL = 'off';
  const agent = await mcp.agent();
  expect(await agent.text('python', { cells: [{ code: '1 + 1' }] })).toBe('2');
  expect(await agent.text('python', { cells: [{ code: '2 + 1' }] })).toBe('3');
  expect(await kernels()).toHaveLength(1);
});
