/**
 * Stands before the agents' server and adds the token, for a client that can send no headers of its own. Nothing else is changed: a foreign `Host` or
 * `Origin` arrives as foreign.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../../../main/agents/endpoint-file.ts';

export interface TokenProxy {
  url: string;
  close(): Promise<void>;
}

/** `headers` are sent with every request. */
export async function startTokenProxy(endpoint: Endpoint, headers: Record<string, string>): Promise<TokenProxy> {
  const proxy = http.createServer((request, response) => {
    const { port } = proxy.address() as AddressInfo;
    const passed = http.request(
      {
        host: '127.0.0.1',
        port: endpoint.port,
        path: request.url,
        method: request.method,
        headers: {
          ...ownAddress(request.headers, port, endpoint.port),
          ...headers,
          authorization: `Bearer ${endpoint.token}`,
        },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}

/** What names the proxy names the server behind it. */
function ownAddress(headers: http.IncomingHttpHeaders, from: number, to: number): http.OutgoingHttpHeaders {
  const renamed = (value: string | undefined): string | undefined =>
    value?.replace(new RegExp(`(127\\.0\\.0\\.1|localhost):${from}$`), `$1:${to}`);
  const { host, origin, ...rest } = headers;
  return { ...rest, ...(host === undefined ? {} : { host: renamed(host) }), ...(origin === undefined ? {} : { origin: renamed(origin) }) };
}
