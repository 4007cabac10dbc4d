/**
 * `cellwright mcp` as processes of their own with the SDK's real clients, from bundles like the app's, in a profile and a folder of the test's own. The
 * Jupyter folder has one kernelspec, for the tests' Python.
 */
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { build } from 'esbuild';
import { nodeBundleOptions } from '../../../scripts/build.mjs';
import { repository } from '../../../scripts/setup/paths.mjs';
import { testPython } from '../../support/python.ts';

/** Longer than any step of a test takes on a loaded machine. */
export const PATIENCE_MS = 100_000;

export interface ToolCall {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  meta?: Record<string, unknown>;
  timeout?: number;
}

/** One agent: a client and the process it talks to. */
export interface TestAgent {
  client: Client;
  transport: StdioClientTransport;
  pid: number;
  stderr: () => string;
  /** Every progress message in the order in which it came; the SDK's client passes over one that comes together with the answer. */
  progress: string[];
  call(name: string, args: Record<string, unknown>, options?: ToolCall): Promise<CallToolResult>;
  /** The text of the answer; throws when it is an error. */
  text(name: string, args: Record<string, unknown>, options?: ToolCall): Promise<string>;
  /** The structure of the answer. */
  structure<T = Record<string, never>>(name: string, args: Record<string, unknown>, options?: ToolCall): Promise<T>;
  close(): Promise<void>;
}

export interface McpFixture {
  root: string;
  folder: string;
  profile: string;
  env: Record<string, string>;
  agent(options?: { name?: string; folders?: string[]; cwd?: string }): Promise<TestAgent>;
  notebook(name: string, cells: readonly unknown[]): Promise<string>;
  read(name: string): Promise<StoredNotebook>;
  close(): Promise<void>;
}

export interface StoredNotebook {
  cells: {
    id: string;
    cell_type: string;
    source: string[];
    outputs?: Record<string, unknown>[];
    execution_count?: number | null;
    metadata: object;
  }[];
}

export async function openMcp(): Promise<McpFixture> {
  // Below node_modules, so that the bundles find `zeromq`.
  const cache = path.join(repository, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const root = await mkdtemp(path.join(cache, 'cellwright-mcp-'));
  const place = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cellwright-mcp-')));
  const [folder, profile, jupyter] = ['notebooks', 'profile', 'jupyter'].map((name) => path.join(place, name)) as [string, string, string];
  const bundle = (name: string, entry: string) =>
    build({ ...nodeBundleOptions(), entryPoints: [path.join(repository, entry)], outfile: path.join(root, 'dist', 'main', name) });
  await Promise.all([
    bundle('cli.cjs', 'main/cli/cli.ts'),
    bundle('host.cjs', 'main/host.ts'),
    bundle('image-worker.cjs', 'main/agents/image-worker.ts'),
    bundle('validation-worker.cjs', 'main/documents/validation-worker.ts'),
  ]);
  await cp(path.join(repository, 'bin'), path.join(root, 'bin'), { recursive: true });
  await cp(path.join(repository, 'package.json'), path.join(root, 'package.json'));
  const spec = path.join(jupyter, 'kernels', 'python3');
  for (const each of [folder, profile, spec]) await mkdir(each, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await writeFile(path.join(spec, 'kernel.json'), JSON.stringify({ argv, display_name: 'Test Python', language: 'python' }));
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const env = {
    ...Object.fromEntries(inherited),
    CELLWRIGHT_PROFILE: profile,
    JUPYTER_PATH: jupyter,
    JUPYTER_RUNTIME_DIR: path.join(place, 'runtime'),
  };
  const agents: TestAgent[] = [];
  return {
    root,
    folder,
    profile,
    env,
    agent: async ({ name, folders, cwd = folder } = {}) => {
      const args = [path.join(root, 'bin', 'cellwright.mjs'), 'mcp'];
      if (name) args.push('--name', name);
      for (const each of folders ?? []) args.push('--folder', each);
      const agent = await connect(
        new StdioClientTransport({ command: process.execPath, args, env, cwd, stderr: 'pipe' }),
        name ?? 'test client',
      );
      agents.push(agent);
      return agent;
    },
    notebook: async (name, cells) => {
      const file = path.join(folder, name);
      await writeFile(file, `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`);
      return file;
    },
    read: async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8')) as StoredNotebook,
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
      await rm(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function connect(transport: StdioClientTransport, name: string): Promise<TestAgent> {
  let stderr = '';
  transport.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport, { timeout: PATIENCE_MS }).catch((error: unknown) => {
    throw new Error(`The server did not start: ${stderr}`, { cause: error });
  });
  const progress: string[] = [];
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if ('method' in message && message.method === 'notifications/progress') progress.push(String(message.params?.message));
    onmessage?.(message);
  };
  return { ...toolCalls(client), progress, transport, pid: transport.pid ?? -1, stderr: () => stderr, close: () => client.close() };
}

/** Short ways to call tools, also for clients over HTTP. */
export function toolCalls(client: Client): Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'> {
  // Lists the tools first, as every client does: from then on it checks each structure against its schema.
  const listed = client.listTools();
  const call: TestAgent['call'] = async (name, args, { signal, onProgress, meta, timeout = PATIENCE_MS } = {}) => {
    await listed;
    const params = { name, arguments: args, ...(meta ? { _meta: meta } : {}) };
    return (await client.callTool(params, undefined, {
      timeout,
      ...(signal ? { signal } : {}),
      ...(onProgress ? { onprogress: onProgress } : {}),
    })) as CallToolResult;
  };
  return {
    client,
    call,
    text: async (name, args, options) => {
      const result = await call(name, args, options);
      if (result.isError) throw new Error(textOf(result));
      return textOf(result);
    },
    structure: async <T>(name: string, args: Record<string, unknown>, options?: ToolCall) => {
      const result = await call(name, args, options);
      if (!result.structuredContent) throw new Error(textOf(result));
      return result.structuredContent as T;
    },
  };
}

export function textOf(result: CallToolResult): string {
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function code(id: string, source: string, more: Record<string, unknown> = {}) {
  const lines = source.split('\n').map((line, index, all) => (index < all.length - 1 ? `${line}\n` : line));
  return { cell_type: 'code', execution_count: null, id, metadata: {}, outputs: [], source: lines.filter((line) => line !== ''), ...more };
}

export function markdown(id: string, source: string) {
  return { cell_type: 'markdown', id, metadata: {}, source: [source] };
}

/** Resolves when the condition holds; fails after a limit that only a hang reaches. */
export async function until<T>(condition: () => T | Promise<T>, what: string, limitMs = PATIENCE_MS): Promise<NonNullable<T>> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value as NonNullable<T>;
    if (Date.now() > limit) throw new Error(`Waited in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
