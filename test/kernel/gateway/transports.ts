/**
 * The ways to a kernel that must not be told apart: this machine's own, and each kind of server. A test gets the launch options and nothing
 * else that differs.
 */
import { tmpdir } from 'node:os';
import type { LaunchOptions } from '../../../main/kernels/kernel.ts';
import { enterprisePython, type RunningServer, type ServerKind, serverPython, startServer } from '../../support/jupyter-servers.ts';
import { ipykernel6Python } from '../../support/kernel-pythons.ts';
import { pythonSpec } from '../kernels/kernel-fixture.ts';

export interface Transport {
  name: string;
  /** Starts what it takes; gives the reason when it can't be had here. */
  open(): Promise<{ launch: LaunchOptions; close(): Promise<void> } | { reason: string }>;
}

/** For what concerns the kernel more than the way to it. */
export const OLDER_KERNEL = gateway('gateway: Jupyter Server with ipykernel 6', 'jupyter-server', ipykernel6Python);

/** Making an environment takes its time, once. */
export const SET_UP_LIMIT_MS = 900_000;

export const TRANSPORTS: readonly Transport[] = [
  { name: 'direct', open: async () => ({ launch: { spec: pythonSpec(), cwd: tmpdir() }, close: async () => {} }) },
  gateway('gateway: Jupyter Server', 'jupyter-server'),
  gateway('gateway: Kernel Gateway', 'kernel-gateway'),
  gateway('gateway: Enterprise Gateway', 'enterprise-gateway'),
];

/** Sets the environments up, so that no test waits for it. */
export async function prepareServers(): Promise<void> {
  await serverPython();
  await enterprisePython();
  await ipykernel6Python();
}

function gateway(name: string, kind: ServerKind, kernelPython?: () => Promise<string>): Transport {
  return {
    name,
    open: async () => {
      const enterprise = kind === 'enterprise-gateway' ? await enterprisePython() : null;
      if (enterprise && 'reason' in enterprise) return enterprise;
      const server = await startServer({ kind, kernelPython: await kernelPython?.() });
      return { launch: launchOn(server), close: () => server.stop() };
    },
  };
}

export function launchOn({ url, token }: Pick<RunningServer, 'url' | 'token'>): LaunchOptions {
  return { spec: pythonSpec(), cwd: tmpdir(), gateway: { url, token } };
}
