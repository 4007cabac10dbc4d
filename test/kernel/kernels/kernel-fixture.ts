/**
 * Real kernels for tests of the kernel layer: a manager with a host process of its own, a runtime folder that nobody else uses, and raw
 * execute requests. What a run is, is decided above this layer; here only messages are looked at.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { Kernel, KernelEvents, KernelSpec } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import type { LogFields, LogLevel } from '../../../main/log/log.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import type { TestMessage } from '../../support/kernel-host.ts';
import { testPython } from '../../support/python.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';

export const HOST_SOURCE = 'test/support/kernel-host.ts';

export interface Bench {
  manager: KernelManager;
  runtimeFolder: string;
  /** The host processes in the order of their start. */
  hosts: HostProcess[];
  /** What was logged. */
  log: { level: LogLevel; event: string; fields: LogFields }[];
  close(): Promise<void>;
}

/** `source` is the host's entry; that of the app itself has runs and no raw messages. */
export async function openBench(source = HOST_SOURCE): Promise<Bench> {
  const entry = await buildHostEntry(source);
  const runtimeFolder = await mkdtemp(path.join(tmpdir(), 'cellwright-runtime-'));
  const hosts: HostProcess[] = [];
  const log: Bench['log'] = [];
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      log.push({ level, event, fields });
    };
  const manager = new KernelManager({
    spawnHost: () => {
      const host = forkHost(entry);
      hosts.push(host);
      return host;
    },
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    runtimeFolder,
  });
  return {
    manager,
    runtimeFolder,
    hosts,
    log,
    close: async () => {
      await manager.close();
      await rm(runtimeFolder, { recursive: true, force: true });
    },
  };
}

export function pythonSpec(change: Partial<KernelSpec> = {}): KernelSpec {
  return { ...pythonSpecOf(testPython()), displayName: 'Python for tests', ...change };
}

export interface Run {
  reply: Record<string, unknown>;
  messages: JupyterMessage[];
  /** Text of stdout, joined. */
  text: string;
  /** Value of the last expression. */
  result: string | undefined;
}

export interface StartedRun {
  done: Promise<Run>;
  /** Resolves when a message of this run fulfils the condition. */
  until(condition: (message: JupyterMessage) => boolean): Promise<JupyterMessage>;
}

/** Sends code and gathers what belongs to it until reply and idle have come. */
export function startRun(kernel: Kernel, code: string, { allowStdin = false }: { allowStdin?: boolean } = {}): StartedRun {
  const runId = randomUUID();
  const messages: JupyterMessage[] = [];
  const watchers = new Set<() => void>();
  const { host } = kernel;
  const stop = host.on<TestMessage>('test.message', ({ kernelId, message }) => {
    if (kernelId !== kernel.id || message.parent_header.msg_id !== runId) return;
    messages.push(message);
    for (const watcher of [...watchers]) watcher();
  });
  const until = (condition: (message: JupyterMessage) => boolean): Promise<JupyterMessage> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = messages.find(condition);
        if (!found) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: allowStdin, stop_on_error: true };
  const message = { channel: 'shell', type: 'execute_request', content, messageId: runId } as const;
  const sent = host.call('kernel.send', { kernelId: kernel.id, message });
  const done = (async () => {
    await sent;
    const [reply] = await Promise.all([until(isReply), until(isIdle)]);
    stop();
    return { reply: reply.content, messages, text: streamText(messages), result: resultText(messages) };
  })();
  // A test that ends the kernel does not wait for its runs.
  done.catch(() => {});
  return { done, until };
}

export function run(kernel: Kernel, code: string, options: { allowStdin?: boolean } = {}): Promise<Run> {
  return startRun(kernel, code, options).done;
}

export function isBusy({ header, content }: JupyterMessage): boolean {
  return header.msg_type === 'status' && content.execution_state === 'busy';
}

export function isIdle({ header, content }: JupyterMessage): boolean {
  return header.msg_type === 'status' && content.execution_state === 'idle';
}

export function isStream({ header }: JupyterMessage): boolean {
  return header.msg_type === 'stream';
}

function isReply({ header }: JupyterMessage): boolean {
  return header.msg_type === 'execute_reply';
}

function streamText(messages: readonly JupyterMessage[]): string {
  return messages
    .filter((message) => isStream(message) && message.content.name === 'stdout')
    .map((message) => message.content.text)
    .join('');
}

function resultText(messages: readonly JupyterMessage[]): string | undefined {
  const result = messages.find(({ header }) => header.msg_type === 'execute_result');
  return (result?.content.data as Record<string, string> | undefined)?.['text/plain'];
}

/** The next event of this kind that fulfils the condition. */
export function nextEvent<N extends keyof KernelEvents>(
  kernel: Kernel,
  event: N,
  condition: (payload: KernelEvents[N]) => boolean = () => true,
): Promise<KernelEvents[N]> {
  return new Promise((resolve) => {
    const stop = kernel.on(event, (payload) => {
      if (!condition(payload)) return;
      stop();
      resolve(payload);
    });
  });
}

/** Whether the process runs. One that has ended but was not reaped by whoever adopted it does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Polls until the condition holds; the test's own time limit ends it otherwise. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(25);
}

export async function connectionFiles(bench: Bench): Promise<string[]> {
  return (await readdir(bench.runtimeFolder)).filter((name) => name.startsWith('kernel-'));
}
