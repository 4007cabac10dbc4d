/** A real agent beside the real app: the SDK's client over `cellwright mcp`, which joins the app of the same profile. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { repository } from '../../../scripts/setup/paths.mjs';
import type { TestPlace } from '../window/start-app.ts';

/** A hang must still end before the test's own limit. */
const LIMIT_MS = 100_000;

export interface RealAgent {
  /** The answer's text, and whether it is an error. */
  call(tool: string, args: Record<string, unknown>): Promise<{ text: string; failed: boolean }>;
  close(): Promise<void>;
}

export async function connectAgent(place: TestPlace, name: string): Promise<RealAgent> {
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', name];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e-client', version: '1.0.0' });
  await client.connect(transport, { timeout: LIMIT_MS });
  return {
    call: async (tool, args) => {
      const result = (await client.callTool({ name: tool, arguments: args }, undefined, { timeout: LIMIT_MS })) as CallToolResult;
      const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return { text, failed: result.isError === true };
    },
    close: () => client.close(),
  };
}
