/**
 * Agent sessions whose kernels run on a server: the same calls, texts, stops and restarts as on this machine, and nothing left on the server. Each
 * kind of real server, and the shared gateway through the way to kernels that the app has.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { KernelTransport } from '../../../main/execution/kernel-transport.ts';
import { MISSED } from '../../../main/execution/untold-outputs.ts';
import { GatewayApi, type RemoteKernel } from '../../../main/kernels/gateway/gateway-api.ts';
import { chooseGatewaySpec } from '../../../main/kernels/gateway/gateway-specs.ts';
import { SharedGateway } from '../../../main/kernels/gateway/shared-gateway.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { enterprisePython, type RunningServer, type ServerKind, serverPython, startServer } from '../../support/jupyter-servers.ts';
import { eventually } from '../kernels/kernel-fixture.ts';
import { openPool, type PoolFixture, pythonSpec } from '../sessions/pool-fixture.ts';
import { prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

interface Ground {
  fixture: PoolFixture;
  /** Kernels on the server now. */
  kernels(): Promise<RemoteKernel[]>;
  /** Ends the kernel host at once; another follows. */
  killHost(): void;
  /** Ends the pool; then the server. */
  close(): Promise<void>;
  stopServer(): Promise<void>;
}

async function onServer(kind: Exclude<ServerKind, 'jupyter-server'>): Promise<Ground> {
  const server: RunningServer = await startServer({ kind, env: { KG_LIST_KERNELS: 'True', EG_LIST_KERNELS: 'True' } });
  const fixture = await openPool({ spec: { ...pythonSpec(), name: 'python3' }, gateway: server });
  return {
    fixture,
    kernels: () => new GatewayApi(server).kernels(),
    killHost: () => fixture.hosts.at(-1)!.kill(),
    close: () => fixture.close(),
    stopServer: () => server.stop(),
  };
}

async function hostsOf(): Promise<{ spawn: () => HostProcess; kill: () => void }> {
  const entry = await buildHostEntry();
  let last: HostProcess | null = null;
  return {
    spawn: () => {
      last = forkHost(entry);
      return last;
    },
    kill: () => last?.kill(),
  };
}

/** As the app wires it: the choice of a kernel leads to the server, and the transport takes the way that the choice has. */
async function onChosenServer(): Promise<Ground> {
  const server = await startServer({ kind: 'jupyter-server' });
  const hosts = await hostsOf();
  const transport = new KernelTransport({
    manager: new KernelManager({ spawnHost: hosts.spawn }),
    isShared: () => false,
    python: () => null,
  });
  const chooseSpec = async () => ({ spec: await chooseGatewaySpec(server, { name: null, language: 'python' }), note: null });
  const fixture = await openPool({ kernels: transport, chooseSpec });
  return {
    fixture,
    kernels: () => new GatewayApi(server).kernels(),
    killHost: hosts.kill,
    close: async () => {
      await fixture.pool.close();
      await transport.close();
    },
    stopServer: async () => {
      await fixture.close();
      await server.stop();
    },
  };
}

/** The same for the shared gateway, which takes whatever kernel was chosen. */
async function onSharedGateway(): Promise<Ground> {
  const runtime = await mkdtemp(path.join(tmpdir(), 'cellwright-shared-agents-'));
  const hosts = await hostsOf();
  const python = await serverPython();
  const manager = new KernelManager({ spawnHost: hosts.spawn, runtimeFolder: runtime });
  const transport = new KernelTransport({ manager, isShared: () => true, python: () => python, runtimeFolder: runtime });
  const fixture = await openPool({ kernels: transport });
  return {
    fixture,
    kernels: async () => {
      const running = await new SharedGateway({ python, runtimeFolder: runtime }).running();
      return running ? new GatewayApi(running).kernels() : [];
    },
    killHost: hosts.kill,
    close: async () => {
      await fixture.pool.close();
    },
    stopServer: async () => {
      await transport.close();
      await fixture.close();
      await rm(runtime, { recursive: true, force: true });
    },
  };
}

const GROUNDS: readonly { name: string; open: () => Promise<Ground>; why?: () => Promise<string | null> }[] = [
  { name: 'a Jupyter Server', open: onChosenServer },
  { name: 'a Kernel Gateway', open: () => onServer('kernel-gateway') },
  {
    name: 'an Enterprise Gateway',
    open: () => onServer('enterprise-gateway'),
    why: async () => {
      const found = await enterprisePython();
      return 'reason' in found ? found.reason : null;
    },
  },
  { name: 'the shared gateway', open: onSharedGateway },
];

describe.each(GROUNDS)('agent sessions on $name', ({ name, open, why }) => {
  let ground: Ground | null = null;
  let python: PoolFixture['python'];
  let reason: string | null = null;
  const isShared = name === 'the shared gateway';

  beforeAll(async () => {
    reason = (await why?.()) ?? null;
    if (reason !== null) return;
    ground = await open();
    python = ground.fixture.python;
  });

  afterAll(async () => {
    await ground?.close();
    try {
      if (ground && !isShared) expect(await ground.kernels()).toEqual([]);
    } finally {
      await ground?.stopServer();
    }
  });

  function there(context: TestContext): Ground {
    if (!ground) return context.skip(reason ?? 'it did not start');
    return ground;
  }

  it('go on when the kernel host dies while they run', async (context) => {
    const { fixture, killHost } = there(context);
    const go = path.join(fixture.folder, 'go');
    let begun = false;
    const call = python(
      `kept = 1\nimport os, time\nprint("begun", flush=True)\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.01)\nprint("end")`,
      { reset: true },
      {
        onProgress: ({ cells }) => {
          begun ||= cells[0]!.output.includes('begun');
        },
      },
    );
    await eventually(() => begun);
    const { key } = fixture.pool.list().find(({ busy }) => busy)!;
    const attached = new Promise<void>((resolve) => fixture.pool.session(key)!.kernel!.on('connected', () => resolve()));
    killHost();
    await attached;
    await writeFile(go, '');
    const { text, isError } = await call;
    expect(isError).toBe(false);
    expect(text.replace(`${MISSED}\n`, '')).toBe('begun\nend');
    expect((await python('kept')).text).toBe('1');
  });

  it('keep their state between calls, and stop at the first failure', async (context) => {
    there(context);
    const first = await python(['x = 40', 'x + 1'], { reset: true });
    expect(first.text).toBe('[1/2]\n(no output)\n\n[2/2]\n41');
    const { isError, text } = await python(['raise ValueError("no")', 'x']);
    expect(isError).toBe(true);
    expect(text).toContain('ValueError: no');
    expect((await python('x + 2')).text).toBe('42');
  });

  it('have folder, variables and helpers', async (context) => {
    const { fixture } = there(context);
    const cwd = await fixture.place('with spaces é');
    const sessionFile = path.join(fixture.folder, 'session.json');
    const code = 'import os\nprint(os.getcwd(), os.environ["PI_SESSION_FILE"], os.environ["ARTIFACTS"], callable(read), sep="\\n")';
    const { text } = await python(code, { cwd, sessionFile });
    expect(text.trimEnd().split('\n')).toEqual([cwd, sessionFile, fixture.artifacts, 'True']);
    const pictured = await python(
      `display({"image/png": "${Buffer.from('picture').toString('base64')}", "text/plain": "<Figure>"}, raw=True)\nprint("x" * 100_000)`,
      { cwd, sessionFile },
    );
    expect(await readFile(pictured.images[0]!.file!, 'utf8')).toBe('picture');
    expect(pictured.text).toMatch(/artifact:\/\/\d+/);
  });

  it('are cancelled and timed out with their text and variables kept', async (context) => {
    there(context);
    await python('kept = 7');
    const cancel = new AbortController();
    const cancelled = await python(
      'print("begun", flush=True)\nwhile True: pass',
      {},
      {
        signal: cancel.signal,
        onProgress: ({ cells }) => {
          if (cells.some(({ output }) => output.includes('begun'))) cancel.abort();
        },
      },
    );
    expect(cancelled.structuredContent).toMatchObject({ cancelled: true, cells: [{ status: 'error' }] });
    expect(cancelled.text).toMatch(/^begun\n/);
    const late = await python('import time\nprint("slow", flush=True)\ntime.sleep(600)', { timeout: 4 });
    expect(late.text).toMatch(/Command timed out after 4 seconds$/);
    expect((await python('kept')).text).toBe('7');
  });

  it('are restarted once when the kernel dies in a run, and say so', async (context) => {
    const { fixture } = there(context);
    await python('import os\nbefore = 1');
    const mark = JSON.stringify(path.join(fixture.folder, 'died once'));
    const { text, isError, structuredContent } = await python(
      `import os\nif not os.path.exists(${mark}):\n  open(${mark}, "w").close()\n  print("last words", flush=True)\n  import time; time.sleep(0.5)\n  os._exit(3)\nprint("before" in globals())`,
      { timeout: 120 },
    );
    expect(isError, text).toBe(false);
    expect(text).toMatch(
      /^last words\n\[The kernel ended[^\n]*It was restarted, and the cell was run again; variables from before are gone\.\]\nFalse$/,
    );
    expect(structuredContent.statusEvents).toMatchObject([{ op: 'kernel-restart', ranAgain: true }]);
  });

  it('leave no kernel of a single call on the server, and no more than four of sessions', async (context) => {
    const { fixture, kernels } = there(context);
    const before = (await kernels()).length;
    expect((await python('"single"', { kernelMode: 'per-call' })).text).toBe("'single'");
    expect(await kernels()).toHaveLength(before);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expect((await python('1', { cwd: await fixture.place(name) })).text).toBe('1');
    }
    await eventually(async () => (await kernels()).length === 4);
    expect(fixture.pool.list()).toHaveLength(4);
  });
});
