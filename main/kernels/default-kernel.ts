/** The kernel that code gets when nobody has chosen one: of the server that the settings name, else of this machine. */
import { type Choice, chooseKernel, wantedKernel } from './discovery/choose.ts';
import type { ShellEnvironment } from './discovery/shell-environment.ts';
import type { GatewayServer } from './gateway/gateway-server.ts';
import { chooseGatewaySpec } from './gateway/gateway-specs.ts';

/** Where kernels are looked for. */
export interface KernelSources {
  environment: Pick<ShellEnvironment, 'variables' | 'problem'>;
  /** The Jupyter server of the settings, which then runs the kernels; null: this machine does. Throws GatewayError. */
  gateway: () => Promise<GatewayServer | null>;
}

/** For a notebook with this metadata, or code with none, in this folder. Throws KernelNotFoundError, GatewayError. */
export async function defaultKernel(
  { environment, gateway }: KernelSources,
  folder: string,
  notebookMetadata: Readonly<Record<string, unknown>> = {},
): Promise<Choice> {
  const server = await gateway();
  if (server) return { spec: await chooseGatewaySpec(server, wantedKernel(notebookMetadata)), note: null };
  const { spec, note } = await chooseKernel({ notebookMetadata, folder, env: await environment.variables() });
  return { spec, note: note ?? environment.problem };
}
