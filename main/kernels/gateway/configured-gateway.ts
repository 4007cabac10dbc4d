/**
 * The way to kernels that settings or a command line name, and the Jupyter server among them. Read anew for each start, so that a changed
 * setting or certificate file counts.
 */
import { readFile } from 'node:fs/promises';
import { GatewayError } from './gateway-errors.ts';
import { type GatewayServer, gatewayServer } from './gateway-server.ts';

/** As in the settings of the same names. */
export interface GatewaySettings {
  kernelTransport: 'auto' | 'direct' | 'gateway' | 'shared-gateway';
  gatewayUrl: string | null;
  gatewayToken: string | null;
  gatewayCertificate: string | null;
}

export function transportOf({ kernelTransport, gatewayUrl }: Pick<GatewaySettings, 'kernelTransport' | 'gatewayUrl'>) {
  if (kernelTransport !== 'auto') return kernelTransport;
  return gatewayUrl === null ? 'direct' : 'gateway';
}

/** Null when kernels run on this machine. Throws GatewayError for an address or a certificate file that can't be used. */
export async function configuredGateway(settings: GatewaySettings): Promise<GatewayServer | null> {
  if (transportOf(settings) !== 'gateway') return null;
  const { gatewayUrl, gatewayToken, gatewayCertificate: file } = settings;
  if (gatewayUrl === null)
    throw new GatewayError('bad-address', 'Kernels are to run on a Jupyter server, but none is named.', 'Give its address as gatewayUrl.');
  const server = gatewayServer(gatewayUrl, gatewayToken ?? undefined);
  if (file === null) return server;
  try {
    return { ...server, certificate: await readFile(file, 'utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new GatewayError('certificate', `The certificate ${file} can’t be read (${code}).`, 'Name a PEM file.');
  }
}
