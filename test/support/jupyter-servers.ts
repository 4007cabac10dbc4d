/**
 * Real Jupyter servers for the gateway's tests: Jupyter Server and Kernel Gateway in one environment of the cache, Enterprise Gateway, which
 * needs much older packages, in another. Each server has folders of its own, so that it sees the tests' kernels and nothing else.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureManagedEnvironment } from '../../main/kernels/discovery/managed-environment.mjs';
import { GatewayApi } from '../../main/kernels/gateway/gateway-api.ts';
import type { GatewayServer } from '../../main/kernels/gateway/gateway-server.ts';
import { cacheFolder } from '../../scripts/setup/cache-folder.mjs';
import { testPython } from './python.ts';

export type ServerKind = 'jupyter-server' | 'kernel-gateway' | 'enterprise-gateway';

export const TOKEN = 'token-of-the-tests';

/** A cold start of Python with all that a server imports. */
const START_LIMIT_MS = 110_000;

const POLL_MS = 100;

/** Linux gives out ports from 32768 on, macOS and Windows from 49152 on. */
const [FIRST_PORT, AFTER_LAST_PORT] = [20_000, 32_768];

const run = promisify(execFile);

export interface ServerOptions {
  kind: ServerKind;
  /** Empty for a server that asks for none. */
  token?: string;
  /** Files of a certificate and its key: then it speaks https. */
  tls?: { certificate: string; key: string };
  /** Base path, as behind a hub. */
  path?: string;
  /** The Python of its kernels; the tests' own when it is not given. */
  kernelPython?: string;
  args?: string[];
  env?: Record<string, string>;
}

export interface RunningServer extends GatewayServer {
  port: number;
  pid: number;
  /** Its root folder, which has its kernelspecs below `share/kernels` too. */
  root: string;
  /** What it wrote to stdout and stderr. */
  log(): string;
  /** Asks it to end and waits; its kernels end with it. */
  stop(): Promise<void>;
}

/** The Python that has Jupyter Server and Kernel Gateway. Makes the environment when it is missing, which takes a network and a minute. */
export function serverPython(): Promise<string> {
  const named = process.env.CELLWRIGHT_TEST_PYTHON_JUPYTER;
  if (named) return Promise.resolve(named);
  const packages = ['jupyter-server>=2.14', 'jupyter-kernel-gateway>=3', 'ipykernel>=7,<8'];
  return ensureManagedEnvironment({ folder: path.join(cacheFolder(), 'test-jupyter-servers'), packages, basePython: testPython() });
}

/** The Python that has Enterprise Gateway, or the reason why it can't be had: it asks for packages that newer Pythons no longer take. */
export async function enterprisePython(): Promise<{ python: string } | { reason: string }> {
  const named = process.env.CELLWRIGHT_TEST_PYTHON_ENTERPRISE_GATEWAY;
  if (named) return { python: named };
  const folder = path.join(cacheFolder(), 'test-enterprise-gateway');
  return ensureManagedEnvironment({ folder, packages: ['jupyter_enterprise_gateway>=3.2'], basePython: testPython() }).then(
    (python) => ({ python }),
    (error: Error) => ({ reason: `Enterprise Gateway can’t be installed for this Python: ${error.message.split('\n')[0]}` }),
  );
}

/** Starts a server with two kernels: `python3`, and `python-by-message`, which is interrupted by message. Resolves when it answers. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { kind, token = TOKEN, tls, path: base = '/', kernelPython = testPython() } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'cellwright-jupyter-'));
  await writeKernelspec(folder, 'python3', kernelPython, {});
  await writeKernelspec(folder, 'python-by-message', kernelPython, { interrupt_mode: 'message' });
  const port = await freePort();
  const [program, ...args] = await commandOf(options, port, folder);
  const child = spawn(program ?? '', args, {
    cwd: folder,
    env: { ...process.env, ...foldersIn(folder), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const server: RunningServer = {
    url: `${tls ? 'https' : 'http'}://localhost:${port}${base}`,
    ...(token === '' ? {} : { token }),
    port,
    pid: child.pid ?? 0,
    root: folder,
    log: () => log,
    stop: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await answers({ ...server, ...(tls ? { anyCertificate: true } : {}) }, child);
  } catch (cause) {
    await server.stop();
    throw new Error(`${kind} did not start:\n${log}`, { cause });
  }
  return server;
}

async function commandOf(
  { kind, token = TOKEN, tls, path: base = '/', args = [] }: ServerOptions,
  port: number,
  folder: string,
): Promise<string[]> {
  const files = tls ? [`--certfile=${tls.certificate}`, `--keyfile=${tls.key}`] : [];
  if (kind === 'jupyter-server') {
    const own = [
      '--ip=localhost',
      `--port=${port}`,
      '--ServerApp.port_retries=0',
      '--no-browser',
      '--allow-root',
      `--ServerApp.root_dir=${folder}`,
      `--ServerApp.base_url=${base}`,
    ];
    return [await serverPython(), '-m', 'jupyter_server', ...own, `--IdentityProvider.token=${token}`, ...files, ...args];
  }
  if (kind === 'kernel-gateway') {
    const own = ['--ip=localhost', `--port=${port}`, '--KernelGatewayApp.port_retries=0', `--KernelGatewayApp.auth_token=${token}`];
    return [await serverPython(), '-m', 'kernel_gateway', ...own, ...files, ...args];
  }
  const enterprise = await enterprisePython();
  if ('reason' in enterprise) throw new Error(enterprise.reason);
  const own = ['--ip=localhost', `--port=${port}`, '--EnterpriseGatewayApp.port_retries=0', `--EnterpriseGatewayApp.auth_token=${token}`];
  return [enterprise.python, '-m', 'enterprise_gateway', ...own, ...files, ...args];
}

/** Jupyter's folders below one: nothing of the person's own settings or kernels has a say. */
function foldersIn(folder: string): Record<string, string> {
  return {
    JUPYTER_CONFIG_DIR: path.join(folder, 'config'),
    JUPYTER_DATA_DIR: path.join(folder, 'data'),
    JUPYTER_RUNTIME_DIR: path.join(folder, 'runtime'),
    JUPYTER_PATH: path.join(folder, 'share'),
    IPYTHONDIR: path.join(folder, 'ipython'),
    // Enterprise Gateway's default is root, who runs the tests in a container.
    EG_UNAUTHORIZED_USERS: 'nobody',
  };
}

async function writeKernelspec(folder: string, name: string, python: string, change: Record<string, unknown>): Promise<void> {
  const place = path.join(folder, 'share', 'kernels', name);
  const argv = [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, 'kernel.json'), JSON.stringify({ argv, display_name: name, language: 'python', ...change }));
}

async function answers(server: GatewayServer, child: ChildProcess): Promise<void> {
  const end = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended by itself.');
    try {
      await new GatewayApi(server).kernelspecs();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await delay(POLL_MS);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // A stopped process hears nothing else.
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await Promise.race([gone, delay(10_000, undefined, { ref: false })]);
  child.kill('SIGKILL');
  await gone;
}

/**
 * Below the ports that systems give out by themselves: a server takes seconds until it listens, and one of those would be some kernel's by then.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, AFTER_LAST_PORT);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, 'localhost', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** A self-signed certificate for no name that is used, with its key; null where there is no openssl. */
export async function selfSigned(folder: string): Promise<{ certificate: string; key: string; pem: string } | null> {
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=nobody', '-keyout', key, '-out', certificate];
  try {
    await run('openssl', args);
  } catch {
    return null;
  }
  return { certificate, key, pem: await readFile(certificate, 'utf8') };
}
