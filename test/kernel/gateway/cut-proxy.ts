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
  /** Nothing on the present connections arrives any more, and neither side is told, not even of their end. New connections are fine. */
  swallow(): void;
  mend(): void;
  /** From now on this text in what is asked arrives as the other, which must be as long. */
  bend(text: string, other: string): void;
  /** The first line of what each connection asked. */
  requestLines(): string[];
  close(): Promise<void>;
}

export async function openProxy(targetPort: number): Promise<CutProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let refuses = false;
  const swallowed = new WeakSet<readonly [Socket, Socket]>();
  const lines: string[] = [];
  let bending: readonly [string, string] | null = null;
  const bent = (data: Buffer): Buffer =>
    bending && data.includes(bending[0]) ? Buffer.from(data.toString('latin1').replaceAll(...bending), 'latin1') : data;
  const server = createServer((client) => {
    client.once('data', (data) => lines.push(data.toString('latin1').split('\r\n', 1)[0] ?? ''));
    if (refuses) {
      client.destroy();
      return;
    }
    const target = connect(targetPort, 'localhost');
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on('data', (data) => {
        if (!swallowed.has(pair)) to.write(from === client ? bent(data) : data);
      });
      from.on('close', () => {
        if (!swallowed.has(pair)) to.destroy();
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
      for (const pair of pairs) swallowed.add(pair);
    },
    mend: () => {
      refuses = false;
      bending = null;
    },
    bend: (text, other) => {
      bending = [text, other];
    },
    requestLines: () => lines,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
