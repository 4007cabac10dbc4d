/**
 * What `doctor` says about the way to kernels that the settings name, and whether it works. It starts nothing: of a shared gateway that does
 * not run it says what would start it.
 */
import { configuredGateway, transportOf } from '../kernels/gateway/configured-gateway.ts';
import { GatewayApi } from '../kernels/gateway/gateway-api.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import { findGatewayPython, hasServer } from '../kernels/gateway/gateway-python.ts';
import type { GatewayServer } from '../kernels/gateway/gateway-server.ts';
import { SharedGateway } from '../kernels/gateway/shared-gateway.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { type Finding, missing, ok } from './finding.ts';

const NAME = 'Kernels';

export async function transportFindings(settings: Settings): Promise<Finding[]> {
  try {
    switch (transportOf(settings)) {
      case 'direct':
        return [ok(NAME, 'run by Cellwright itself (direct)')];
      case 'gateway':
        return [await serverFinding(await configuredGateway(settings))];
      case 'shared-gateway':
        return [await sharedFinding(settings.sharedGatewayPython)];
    }
  } catch (error) {
    if (error instanceof GatewayError) return [missing(NAME, error.what, error.hint)];
    throw error;
  }
}

async function serverFinding(server: GatewayServer | null): Promise<Finding> {
  if (!server) return ok(NAME, 'run by Cellwright itself (direct)');
  const api = new GatewayApi(server);
  const [version, specs] = [await api.version(), await api.kernelspecs()];
  const has = specs.map(({ name }) => name).join(', ');
  const what = `run on the server at ${server.url} (gateway), version ${version}`;
  return has === '' ? missing(NAME, `${what}, which has none`, 'install one there') : ok(NAME, `${what}: ${has}`);
}

async function sharedFinding(named: string | null): Promise<Finding> {
  const running = await new SharedGateway({ python: async () => (await findGatewayPython(named)) ?? '' }).running();
  if (running) {
    const kernels = await new GatewayApi(running).kernels();
    return ok(NAME, `run in the shared gateway, which runs as process ${running.pid} with ${kernels.length} kernels`);
  }
  const python = await findGatewayPython(named);
  if (python === null) return ok(NAME, 'run in the shared gateway, whose environment is made when the first one starts');
  if (await hasServer(python)) return ok(NAME, `run in the shared gateway, which ${python} starts with the first one`);
  return missing(NAME, `run in the shared gateway, but ${python} has no Jupyter server`, `run \`${python} -m pip install jupyter_server\``);
}
