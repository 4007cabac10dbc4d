/**
 * The bare loop that benchmarks are compared with: a kernel driven by nothing but `zeromq`, with no checks, states or reducers above it.
 * It must stay the least that works, or the ratios flatter us; it signs messages and decodes JSON since no client can do without.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as zmq from 'zeromq';

const DELIMITER = '<IDS|MSG>';

export interface BareKernel {
  /** Runs code; resolves when reply and idle have come. `onBytes` sees the size of each iopub message's content. */
  run(code: string, onBytes?: (bytes: number) => void): Promise<void>;
  /** Milliseconds since the process was spawned. */
  sinceSpawn(): number;
  stop(): Promise<void>;
}

interface Decoded {
  type: string;
  parent: string | undefined;
  content: Record<string, unknown>;
  bytes: number;
}

export interface BareOptions {
  /** Asks only once iopub is connected. Many kernels that start at once are else busy with the questions that waited for each. */
  whenConnected?: boolean;
  /** Five; free ones when they aren't given, which another start may be given as well. */
  ports?: readonly number[];
  signal?: AbortSignal;
}

/** Starts a kernel and waits until iopub and shell both answer. When the signal is aborted it is stopped and the signal's reason thrown. */
export async function startBareKernel(python: string, { whenConnected = false, ports, signal }: BareOptions = {}): Promise<BareKernel> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bare-kernel-'));
  const [shellPort, iopubPort, stdinPort, controlPort, hbPort] = ports ?? (await freePorts(5));
  const key = randomUUID();
  const file = path.join(folder, 'kernel.json');
  const connection = { shell_port: shellPort, iopub_port: iopubPort, stdin_port: stdinPort, control_port: controlPort, hb_port: hbPort };
  await writeFile(file, JSON.stringify({ ip: '127.0.0.1', transport: 'tcp', key, signature_scheme: 'hmac-sha256', ...connection }));
  const spawnedAt = performance.now();
  // A session of its own, as kernels of the app have: some systems share out processors by sessions.
  const child = spawn(python, ['-m', 'ipykernel_launcher', '-f', file], { stdio: 'ignore', detached: true });
  const options = { linger: 0, receiveHighWaterMark: 0, reconnectInterval: 10 };
  const shell = new zmq.Dealer(options);
  const iopub = new zmq.Subscriber(options);
  const connected = whenConnected ? new Promise<void>((resolve) => iopub.events.on('handshake', () => resolve())) : Promise.resolve();
  iopub.connect(`tcp://127.0.0.1:${iopubPort}`);
  iopub.subscribe();
  shell.connect(`tcp://127.0.0.1:${shellPort}`);
  const loop = new BareLoop(shell, iopub, key);
  const stop = async (): Promise<void> => {
    shell.close();
    iopub.close();
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  const ready = connected.then(() => loop.ready());
  await (signal ? Promise.race([ready, aborted(signal)]) : ready).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { run: (code, onBytes) => loop.run(code, onBytes), sinceSpawn: () => performance.now() - spawnedAt, stop };
}

class BareLoop {
  readonly #shell: zmq.Dealer;
  readonly #key: string;
  readonly #session = randomUUID();
  #sent: Promise<unknown> = Promise.resolve();
  #listener: (channel: 'shell' | 'iopub', message: Decoded) => void = () => {};

  constructor(shell: zmq.Dealer, iopub: zmq.Subscriber, key: string) {
    this.#shell = shell;
    this.#key = key;
    void this.#read('shell', shell);
    void this.#read('iopub', iopub);
  }

  async #read(channel: 'shell' | 'iopub', socket: zmq.Dealer | zmq.Subscriber): Promise<void> {
    try {
      for await (const frames of socket) this.#listener(channel, decode(frames));
    } catch {
      // Closed: the loop has ended.
    }
  }

  async ready(): Promise<void> {
    let replied = false;
    let heard = false;
    await new Promise<void>((resolve) => {
      // A process that closed the sockets meanwhile asks no more.
      const timer = setInterval(() => (this.#shell.closed ? clearInterval(timer) : void this.#send('kernel_info_request', {})), 100);
      this.#listener = (channel) => {
        if (channel === 'shell') replied = true;
        else heard = true;
        if (!replied || !heard) return;
        clearInterval(timer);
        resolve();
      };
      void this.#send('kernel_info_request', {});
    });
  }

  async run(code: string, onBytes: (bytes: number) => void = () => {}): Promise<void> {
    const content = { code, silent: false, store_history: false, user_expressions: {}, allow_stdin: false, stop_on_error: true };
    let id = '';
    let replied = false;
    let idle = false;
    await new Promise<void>((resolve) => {
      this.#listener = (channel, message) => {
        if (message.parent !== id) return;
        if (channel === 'shell') replied = true;
        else if (message.type === 'status') idle ||= message.content.execution_state === 'idle';
        else onBytes(message.bytes);
        if (replied && idle) resolve();
      };
      id = this.#send('execute_request', content);
    });
  }

  #send(type: string, content: object): string {
    const id = randomUUID();
    const header = {
      msg_id: id,
      session: this.#session,
      username: 'bench',
      date: new Date().toISOString(),
      msg_type: type,
      version: '5.3',
    };
    const parts = [JSON.stringify(header), '{}', '{}', JSON.stringify(content)];
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(part);
    const frames = [DELIMITER, hmac.digest('hex'), ...parts];
    // Two sends at once on one socket are refused.
    this.#sent = this.#sent.then(() => this.#shell.send(frames)).catch(() => {});
    return id;
  }
}

function decode(frames: Buffer[]): Decoded {
  const start = frames.findIndex((frame) => frame.length === DELIMITER.length && frame.toString('latin1') === DELIMITER);
  const [header, parent, , content] = frames.slice(start + 2);
  return {
    type: JSON.parse(header!.toString()).msg_type,
    parent: JSON.parse(parent!.toString()).msg_id,
    content: JSON.parse(content!.toString()),
    bytes: content!.length,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
