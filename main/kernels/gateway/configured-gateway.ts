/** The Jupyter server that the settings or a command line name. Read anew for each start, so that a changed certificate file counts. */
import { readFile } from 'node:fs/promises';
import { GatewayError } from './gateway-errors.ts';
import { type GatewayServer, gatewayServer } from './gateway-server.ts';

/** Null when no address is given. Throws GatewayError for an address or a certificate file that can't be used. */
export async function configuredGateway(
  address: string | null,
  token: string | null,
  certificateFile: string | null,
): Promise<GatewayServer | null> {
  if (address === null) return null;
  const server = gatewayServer(address, token ?? undefined);
  if (certificateFile === null) return server;
  try {
    return { ...server, certificate: await readFile(certificateFile, 'utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new GatewayError('certificate', `The certificate ${certificateFile} can’t be read (${code}).`, 'Name a PEM file.');
  }
}
