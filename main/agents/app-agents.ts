/**
 * Agents of the app with a window: the service over the app's own notebooks and kernels, and the server that agents reach it by. Without a port the
 * app works all the same, and says so in its log.
 */
import { chooseKernel, wantedKernel } from '../kernels/discovery/choose.ts';
import type { GatewayServer } from '../kernels/gateway/gateway-server.ts';
import { chooseGatewaySpec } from '../kernels/gateway/gateway-specs.ts';
import { errorFields } from '../log/log.ts';
import { AgentService, type AgentServiceOptions } from './agent-service.ts';
import type { Endpoint } from './endpoint-file.ts';
import { AgentHttpServer } from './http-server.ts';

export interface AppAgentsOptions extends Omit<AgentServiceOptions, 'chooseSpec' | 'hasWindow'> {
  env: NodeJS.ProcessEnv;
  /** The Jupyter server that runs the kernels; null: this machine does. Throws GatewayError. */
  gateway: () => Promise<GatewayServer | null>;
  /** What an agent may reach whose client names no folders. */
  defaultFolders: () => string[];
}

export interface AppAgents {
  service: AgentService;
  /** Null when there is no port to be had. */
  endpoint: Endpoint | null;
  close(): Promise<void>;
}

export async function startAgents(options: AppAgentsOptions): Promise<AppAgents> {
  const { env, gateway, defaultFolders, profile, version, log } = options;
  const service = await AgentService.open({
    ...options,
    hasWindow: true,
    chooseSpec: async (folder) => {
      const server = await gateway();
      if (server) return { spec: await chooseGatewaySpec(server, wantedKernel({})), note: null };
      return chooseKernel({ notebookMetadata: {}, folder, env });
    },
  });
  const http = await AgentHttpServer.start({ profile, service, defaultFolders, window: true, version, log }).catch((error: unknown) => {
    log.error('agents.no-server', errorFields(error));
    return null;
  });
  return {
    service,
    endpoint: http?.endpoint ?? null,
    close: async () => {
      await http?.close();
      await service.close();
    },
  };
}
