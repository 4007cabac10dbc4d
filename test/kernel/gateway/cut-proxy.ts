/**
 * A way between us and a server that can be cut: connections broken, new ones refused, or everything swallowed as a dead network does, which
 * nobody is told of.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  url: string;
  port: number;
  /** Breaks every connection; with `refuse` new ones too, until `mend`. */
  cut(refuse: boolean): void;
  /** Keeps connections and takes new ones, and passes nothing on, until `mend`; what was swallowed stays lost. */
  swallow(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openProxy(targetPort: number): Promise<CutProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let refuses = false;
  let swallows = false;
  const server = createServer((client) => {
    if (refuses) {
      client.destroy();
      return;
    }
    const target = connect(targetPort, 'localhost');
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on('data', (data) => {
        if (!swallows) to.write(data);
      });
      from.on('close', () => {
        if (!swallows) to.destroy();
        pairs.delete(pair);
      });
      from.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const breakAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    cut: (refuse) => {
      refuses = refuse;
      breakAll();
    },
    swallow: () => {
      swallows = true;
    },
    mend: () => {
      refuses = false;
      swallows = false;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
