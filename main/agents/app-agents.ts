/**
 * Agents of the app with a window: the service over the app's own notebooks and kernels, and the server that agents reach it by. Without a port the
 * app works all the same, and says so in its log.
 */
import { defaultKernel, type KernelSources } from '../kernels/default-kernel.ts';
import { errorFields } from '../log/log.ts';
import { AgentService, type AgentServiceOptions } from './agent-service.ts';
import type { Endpoint } from './endpoint-file.ts';
import { AgentHttpServer } from './http-server.ts';

export interface AppAgentsOptions extends Omit<AgentServiceOptions, 'chooseSpec' | 'hasWindow'>, KernelSources {
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
  const { defaultFolders, profile, version, log } = options;
  const service = await AgentService.open({
    ...options,
    hasWindow: true,
    chooseSpec: (folder) => defaultKernel(options, folder),
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
