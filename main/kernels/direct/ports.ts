/**
 * Ports for a kernel, chosen by the operating system. Between our look and the kernel's bind another program may take one: nothing can
 * prevent that, so a start that fails on it is tried again. What can be prevented is giving one port to two of our own kernels.
 */
import { type AddressInfo, createServer, type Server } from 'node:net';

/** The loopback address every direct kernel listens on. */
export const KERNEL_IP = '127.0.0.1';

export class PortPool {
  readonly #taken = new Set<number>();

  /** Free ports, held back from other callers until `release`. Throws EMFILE when descriptors have run out. */
  async reserve(count: number): Promise<number[]> {
    const servers: Server[] = [];
    const ports: number[] = [];
    try {
      // All are open at once, so that the system can't give one twice; one of our own that it gives stays open until the end.
      while (ports.length < count) {
        const server = await listen();
        servers.push(server);
        const { port } = server.address() as AddressInfo;
        if (this.#taken.has(port)) continue;
        this.#taken.add(port);
        ports.push(port);
      }
      return ports;
    } catch (error) {
      this.release(ports);
      throw error;
    } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }

  release(ports: Iterable<number>): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: KERNEL_IP, port: 0, exclusive: true }, () => resolve(server));
  });
}
