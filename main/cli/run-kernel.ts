/** Which kernel `cellwright run` uses: the one that was named, on the server that was named, else what the notebook asks for. */
import path from 'node:path';
import { chooseKernel, wantedKernel } from '../kernels/discovery/choose.ts';
import { findInterpreters, interpreterSpec } from '../kernels/discovery/interpreters.ts';
import { findKernelspecs } from '../kernels/discovery/kernelspecs.ts';
import { KernelNotFoundError } from '../kernels/errors.ts';
import { configuredGateway, type GatewaySettings } from '../kernels/gateway/configured-gateway.ts';
import type { GatewayServer } from '../kernels/gateway/gateway-server.ts';
import { chooseGatewaySpec, findGatewaySpecs } from '../kernels/gateway/gateway-specs.ts';
import type { KernelSpec } from '../kernels/kernel.ts';

export interface KernelRequest {
  /** The notebook's. */
  metadata: Record<string, unknown>;
  folder: string;
  /** A kernelspec's name; on this machine also the path of a Python, on a server also the id of a running kernel. */
  name: string | null;
  settings: GatewaySettings;
}

/** Throws KernelNotFoundError, GatewayError. */
export async function chosenKernel(request: KernelRequest): Promise<{ spec: KernelSpec; note: string | null }> {
  const { metadata, folder, name, settings } = request;
  const server = await configuredGateway(settings);
  if (server)
    return { spec: await (name === null ? chooseGatewaySpec(server, wantedKernel(metadata)) : namedOnServer(server, name)), note: null };
  if (name === null) return chooseKernel({ notebookMetadata: metadata, folder });
  return { spec: await namedKernel(name, folder), note: null };
}

async function namedOnServer(server: GatewayServer, name: string): Promise<KernelSpec> {
  const specs = await findGatewaySpecs(server);
  const named = specs.find((spec) => spec.gateway?.kernelId === name || (spec.name === name && spec.gateway?.kernelId === undefined));
  if (named) return named;
  const names = [...new Set(specs.map((spec) => spec.name))];
  throw new KernelNotFoundError(`The server at ${server.url} has no kernel “${name}”.`, `It has: ${names.join(', ') || 'none'}.`);
}

async function namedKernel(name: string, folder: string): Promise<KernelSpec> {
  const specs = await findKernelspecs();
  const named = specs.find((spec) => spec.name.toLowerCase() === name.toLowerCase());
  if (named) return named;
  const interpreter = (await findInterpreters(folder)).find(({ path: program }) => program === name || program === path.resolve(name));
  if (interpreter?.ipykernel) return interpreterSpec(interpreter);
  if (interpreter) throw new KernelNotFoundError(`${name} has no ipykernel.`, `Run \`${name} -m pip install ipykernel\`.`);
  throw new KernelNotFoundError(`There is no kernel “${name}”.`, `There are: ${specs.map((spec) => spec.name).join(', ') || 'none'}.`);
}
