/**
 * The shared gateway with several Cellwrights as processes of their own: one gateway for all of them, whoever comes first, goes or is killed, and
 * nothing left after the last.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { processStart } from '../../../main/kernels/direct/process-table.ts';
import { endTree } from '../../../main/kernels/direct/process-tree.ts';
import { KernelStartError } from '../../../main/kernels/errors.ts';
import { GatewayApi } from '../../../main/kernels/gateway/gateway-api.ts';
import { SharedGateway } from '../../../main/kernels/gateway/shared-gateway.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { serverPython } from '../../support/jupyter-servers.ts';
import { testPython } from '../../support/python.ts';
import { eventually, HOST_SOURCE, isAlive } from '../kernels/kernel-fixture.ts';
import type { Command } from './shared-app.ts';
import { prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

interface Opened {
  gateway: number;
  url: string;
  token: string;
  serverKernelId: string;
}

interface App {
  process: ChildProcess;
  tell<T>(command: Command): Promise<T>;
  /** Opens a kernel; gives its process's pid too. */
  open(cwd?: string): Promise<Opened & { kernel: number }>;
}

let folder: string;
let apps: App[];
let gateways: Set<number>;
let entries: string[];
let python: string;

beforeAll(async () => {
  await prepareServers();
  python = await serverPython();
  entries = await Promise.all([buildHostEntry('test/kernel/gateway/shared-app.ts'), buildHostEntry(HOST_SOURCE)]);
}, SET_UP_LIMIT_MS);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-shared-'));
  apps = [];
  gateways = new Set();
});

afterEach(async () => {
  for (const { process: app } of apps) if (app.pid && app.exitCode === null) await endTree(app.pid, 'SIGKILL');
  // Whatever a test did, the gateway has to see by itself that nobody is left.
  await eventually(() => ![...gateways].some(isAlive));
  await rm(folder, { recursive: true, force: true });
});

function startApp(env: Record<string, string> = {}): App {
  const args = [entries[0] ?? '', entries[1] ?? '', python, folder];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: { ...process.env, ...env } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = async <T>(command: Command): Promise<T> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    const { value: line, done } = await lines.next();
    if (done) throw new Error('The app ended.');
    const { value, error } = JSON.parse(line) as { value: T; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  };
  const open = async (cwd = folder): Promise<Opened & { kernel: number }> => {
    const opened = await tell<Opened>({ do: 'open', cwd });
    gateways.add(opened.gateway);
    return { ...opened, kernel: Number(await tell<string>({ do: 'run', code: 'import os', value: 'os.getpid()' })) };
  };
  const app = { process: child, tell, open };
  apps.push(app);
  return app;
}

/** Zombies don't count: whoever has to reap them may be slower than we look. */
async function anyRuns(...pids: number[]): Promise<boolean> {
  return (await Promise.all(pids.map((pid) => processStart(pid)))).some((start) => start !== null);
}

const stateFile = (): string => path.join(folder, 'cellwright-gateway', 'gateway.json');

describe('the shared gateway', () => {
  it('is one, also for two that come first at once; is private; and ends with the last', async () => {
    const [first, second] = [startApp(), startApp()];
    const [one, two] = await Promise.all([first.open(), second.open()]);
    expect(one.gateway).toBe(two.gateway);
    expect(one.token).toBe(two.token);
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(one.kernel).not.toBe(two.kernel);
    expect((await stat(stateFile())).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(stateFile()))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.join(folder, 'cellwright-gateway', 'users'))).toHaveLength(2);
    for (const token of [undefined, 'not-it']) {
      await expect(new GatewayApi({ url: one.url, token }).kernels()).rejects.toMatchObject({ fault: 'unauthorized' });
    }
    await first.tell({ do: 'leave' });
    await eventually(() => !isAlive(one.kernel));
    expect(isAlive(one.gateway)).toBe(true);
    expect(await second.tell({ do: 'run', code: '', value: '6 * 7' })).toBe('42');
    await second.tell({ do: 'leave' });
    expect(await anyRuns(two.gateway, two.kernel)).toBe(false);
    await expect(stat(stateFile())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('starts kernels in their folders, without keys, and takes what is long', async () => {
    const app = startApp({ OPENAI_API_KEY: 'sk-not-for-kernels', MY_DATA: 'for kernels' });
    const place = path.join(folder, 'with space ä');
    await mkdir(place);
    await app.open(place);
    expect(await app.tell({ do: 'run', code: '', value: 'os.getcwd()' })).toBe(`'${place}'`);
    const seen = 'os.environ.get("OPENAI_API_KEY"), os.environ.get("MY_DATA"), [n for n in os.environ if "TOKEN" in n]';
    expect(await app.tell({ do: 'run', code: '', value: seen })).toBe("(None, 'for kernels', [])");
    const long = `x = ${JSON.stringify('y'.repeat(12_000_000))}`;
    expect(await app.tell({ do: 'run', code: long, value: 'len(x)' })).toBe('12000000');
    await app.tell({ do: 'leave' });
  });

  it('outlives the one that started it, whose kernels end', async () => {
    const starter = startApp();
    const one = await starter.open();
    const other = startApp();
    const two = await other.open();
    await other.tell({ do: 'run', code: 'x = 42', value: 'x' });
    starter.process.kill('SIGKILL');
    await eventually(() => !isAlive(one.kernel));
    expect(isAlive(two.gateway)).toBe(true);
    expect(await other.tell({ do: 'run', code: '', value: 'x' })).toBe('42');
    // It is as usable as before, for those that come later too.
    const third = startApp();
    expect((await third.open()).gateway).toBe(two.gateway);
    await third.tell({ do: 'leave' });
    await other.tell({ do: 'leave' });
    expect(await anyRuns(two.gateway, two.kernel)).toBe(false);
  });

  it('is gone when all its users were killed, while their kernels compute too', async () => {
    const [first, second] = [startApp(), startApp()];
    const [one, two] = await Promise.all([first.open(), second.open()]);
    void first.tell({ do: 'run', code: 'while True: pass', value: '1' }).catch(() => {});
    for (const { process: app } of apps) app.kill('SIGKILL');
    await eventually(() => ![one.gateway, one.kernel, two.kernel].some(isAlive));
    // The files of the killed are no trouble to who comes next.
    const next = startApp();
    expect((await next.open()).gateway).not.toBe(one.gateway);
    await next.tell({ do: 'leave' });
  });

  it('that was killed takes its kernels along, which says so, and a restart starts another', async () => {
    const app = startApp();
    const { gateway, kernel } = await app.open();
    process.kill(gateway, 'SIGKILL');
    await eventually(async () => (await app.tell<{ state: string }>({ do: 'state' })).state === 'dead');
    expect(await app.tell({ do: 'state' })).toEqual({ state: 'dead', exit: 'The kernel ended with the gateway it ran in.' });
    await eventually(() => !isAlive(kernel));
    await app.tell({ do: 'restart' });
    expect(await app.tell({ do: 'run', code: '', value: '1 + 1' })).toBe('2');
    const state = JSON.parse(await readFile(stateFile(), 'utf8'));
    gateways.add(state.pid);
    expect(state.pid).not.toBe(gateway);
    await app.tell({ do: 'leave' });
  });

  it('that hangs is replaced', async () => {
    const app = startApp();
    const { gateway } = await app.open();
    process.kill(gateway, 'SIGSTOP');
    const other = startApp();
    const { gateway: second } = await other.open();
    expect(second).not.toBe(gateway);
    expect(await anyRuns(gateway)).toBe(false);
  });

  it('that answers with an error while it starts a kernel is kept', async () => {
    const answering = 'let asks = 0; const { createServer } = require("node:http");'.concat(
      'const server = createServer((_, to) => (asks++ < 3 ? to.writeHead(500).end() : to.end(\'{"version": "2"}\')));',
      'server.listen(0, "127.0.0.1", () => console.log(server.address().port));',
    );
    const busy = spawn(process.execPath, ['-e', answering], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    const [port] = (await once(busy.stdout, 'data')) as [Buffer];
    const pid = busy.pid ?? 0;
    await mkdir(path.dirname(stateFile()), { recursive: true });
    await writeFile(stateFile(), JSON.stringify({ pid, start: await processStart(pid), port: Number(port), token: 'x' }));
    const shared = new SharedGateway({ python, runtimeFolder: folder });
    expect((await shared.target()).process?.pid).toBe(pid);
    expect(busy.exitCode).toBeNull();
    busy.kill();
    await shared.leave();
  });

  it('can be stopped for all, which frees what it holds', async () => {
    const app = startApp();
    const { gateway, kernel } = await app.open();
    await app.tell({ do: 'stop' });
    expect(await anyRuns(gateway, kernel)).toBe(false);
  });

  it('is a Jupyter Server where there is no Kernel Gateway', async () => {
    const hiding = path.join(folder, 'hiding', 'kernel_gateway');
    await mkdir(hiding, { recursive: true });
    await writeFile(path.join(hiding, '__init__.py'), 'raise ImportError("hidden by a test")\n');
    const app = startApp({ PYTHONPATH: path.dirname(hiding) });
    const place = path.join(folder, 'place');
    await mkdir(place);
    const { url, token, gateway, kernel } = await app.open(place);
    expect(await app.tell({ do: 'run', code: '', value: 'os.getcwd()' })).toBe(`'${place}'`);
    await expect(new GatewayApi({ url, token: 'not-it' }).kernels()).rejects.toMatchObject({ fault: 'unauthorized' });
    expect(await new GatewayApi({ url, token }).kernels()).toHaveLength(1);
    await app.tell({ do: 'leave' });
    expect(await anyRuns(gateway, kernel)).toBe(false);
  });

  it('answers as soon as it is there, however Python was told to write', async () => {
    vi.stubEnv('PYTHONUNBUFFERED', '1');
    const events: string[] = [];
    const note = (event: string): unknown => events.push(event);
    const log = { debug: note, info: note, warn: note, error: note };
    const shared = new SharedGateway({ python, runtimeFolder: folder, log });
    const { process: gateway } = await shared.target();
    gateways.add(gateway?.pid ?? 0);
    expect((await shared.target()).process).toEqual(gateway);
    expect(events).toEqual(['shared-gateway.started']);
    await shared.leave();
    expect(await anyRuns(gateway?.pid ?? 0)).toBe(false);
    vi.unstubAllEnvs();
  });

  it.each([
    ['has no server', () => testPython(), /pip install jupyter_server/],
    ['is not there', () => '/no/such/python', /There is no Python at \/no\/such\/python/],
  ])('says what to do when the Python %s', async (_name, interpreter, words) => {
    const shared = new SharedGateway({ python: interpreter(), runtimeFolder: folder });
    const error = await shared.target().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(KernelStartError);
    expect((error as Error).message).toMatch(words);
    await shared.leave();
  });
});
