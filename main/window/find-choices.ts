/** The kernels to choose from at this moment: those of the named server, and those of this machine. */
import type { KernelSources } from '../kernels/default-kernel.ts';
import { findInterpreters } from '../kernels/discovery/interpreters.ts';
import { findKernelspecs } from '../kernels/discovery/kernelspecs.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import type { GatewayServer } from '../kernels/gateway/gateway-server.ts';
import { findGatewaySpecs } from '../kernels/gateway/gateway-specs.ts';
import { type Choice, gatewayChoices, kernelChoices, unreachableChoice } from './kernel-choices.ts';

/** For a notebook in this folder, in the order of the list. */
export async function findChoices(folder: string, { environment, gateway }: KernelSources): Promise<Choice[]> {
  const [server, local] = await Promise.all([serverChoices(gateway), localChoices(folder, environment)]);
  return [...server, ...local];
}

async function localChoices(folder: string, environment: KernelSources['environment']): Promise<Choice[]> {
  const env = await environment.variables();
  return kernelChoices(...(await Promise.all([findKernelspecs({ env }), findInterpreters(folder, { env })])));
}

/** A server that is out of reach takes nothing from the list of this machine's kernels. */
async function serverChoices(gateway: () => Promise<GatewayServer | null>): Promise<Choice[]> {
  let url = '';
  try {
    const server = await gateway();
    if (!server) return [];
    url = server.url;
    return gatewayChoices(await findGatewaySpecs(server));
  } catch (error) {
    if (error instanceof GatewayError) return [unreachableChoice(url, error.message)];
    throw error;
  }
}
