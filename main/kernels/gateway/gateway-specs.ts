/**
 * What a Jupyter server offers for running notebooks, as kernelspecs like this machine's own. A running kernel is offered too, as one to attach to;
 * a server that keeps that list to itself (Kernel Gateway does unless told otherwise) still offers its kernelspecs.
 */
import { KernelNotFoundError } from '../errors.ts';
import type { KernelSpec } from '../kernel.ts';
import { GatewayApi } from './gateway-api.ts';
import { GatewayError } from './gateway-errors.ts';
import type { GatewayServer } from './gateway-server.ts';

/** The server's kernelspecs, its default first, then its running kernels. Throws GatewayError. */
export async function findGatewaySpecs(server: GatewayServer): Promise<KernelSpec[]> {
  const api = new GatewayApi(server);
  const specs = await api.kernelspecs();
  const running = await api.kernels().catch((error: unknown) => {
    if (error instanceof GatewayError) return [];
    throw error;
  });
  const there = specs.map((spec): KernelSpec => ({ ...spec, source: 'gateway', gateway: server }));
  const attachable = running.flatMap(({ id, name }) => {
    const spec = there.find((candidate) => candidate.name === name);
    return spec ? [{ ...spec, displayName: `${spec.displayName} ${id.slice(0, 8)}`, gateway: { ...server, kernelId: id } }] : [];
  });
  return [...there, ...attachable];
}

/** The kernelspec for a notebook: of its name, else of its language, else the server's default. Throws KernelNotFoundError, GatewayError. */
export async function chooseGatewaySpec(
  server: GatewayServer,
  wanted: { name: string | null; language: string | null },
): Promise<KernelSpec> {
  const specs = (await findGatewaySpecs(server)).filter(({ gateway }) => gateway?.kernelId === undefined);
  const spec =
    specs.find(({ name }) => name === wanted.name) ?? specs.find(({ language }) => language.toLowerCase() === wanted.language) ?? specs[0];
  if (!spec)
    throw new KernelNotFoundError(`The server at ${server.url} has no kernels.`, 'Install one there, or use a kernel of this machine.');
  return spec;
}
