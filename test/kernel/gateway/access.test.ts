/**
 * Getting into a server and failing to: tokens, certificates, wrong addresses. Real servers where they can be made to show it; small servers of
 * the test's own for answers that they can't. Every error has to name what is wrong and end in what to do.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { KernelStartError } from '../../../main/kernels/errors.ts';
import { GatewayApi } from '../../../main/kernels/gateway/gateway-api.ts';
import { GatewayError } from '../../../main/kernels/gateway/gateway-errors.ts';
import { type GatewayServer, gatewayServer } from '../../../main/kernels/gateway/gateway-server.ts';
import { type RunningServer, selfSigned, startServer, TOKEN } from '../../support/jupyter-servers.ts';
import { openBench, run } from '../kernels/kernel-fixture.ts';
import { openProxy } from './cut-proxy.ts';
import { launchOn, prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

beforeAll(prepareServers, SET_UP_LIMIT_MS);

async function failure(asked: Promise<unknown>): Promise<GatewayError> {
  const error = await asked.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(GatewayError);
  expect((error as Error).message).toMatch(/\.$/);
  expect((error as Error).message).not.toContain(TOKEN);
  return error as GatewayError;
}

const kernelsOf = (server: GatewayServer): Promise<unknown> => new GatewayApi(server).kernelspecs();

describe.each(['jupyter-server', 'kernel-gateway'] as const)('the token of a %s', (kind) => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({ kind });
  });

  afterAll(() => server.stop());

  it('is asked for, and not taken when it is wrong', async () => {
    const { url } = server;
    const without = await failure(kernelsOf({ url }));
    expect(without).toMatchObject({
      fault: 'unauthorized',
      message: `The server at ${url} asks for a token. Give the token of the server.`,
    });
    const wrong = await failure(kernelsOf({ url, token: 'not-it' }));
    expect(wrong.message).toBe(`The server at ${url} does not accept the token. Copy the present token from the server and try again.`);
    const bench = await openBench();
    const starting = bench.manager.start(launchOn({ url, token: 'not-it' })).catch((cause: unknown) => cause);
    expect(await starting).toBeInstanceOf(KernelStartError);
    expect(await starting).toMatchObject({ failure: 'gateway', message: wrong.message, hint: wrong.hint });
    await bench.close();
  });

  it('travels in headers alone, and is in no log', async () => {
    const proxy = await openProxy(server.port);
    const bench = await openBench();
    try {
      const kernel = await bench.manager.start(launchOn({ url: proxy.url, token: TOKEN }));
      expect((await run(kernel, '1')).result).toBe('1');
      await kernel.interrupt();
      await kernel.restart();
      await kernel.shutdown();
      const lines = proxy.requestLines();
      expect(lines.filter((line) => line.includes('/channels?session_id='))).toHaveLength(2);
      expect(lines.join('\n')).not.toContain(TOKEN);
      expect(JSON.stringify(bench.log)).not.toContain(TOKEN);
      expect(bench.log.filter(({ event }) => event === 'host.console').length).toBeGreaterThan(0);
    } finally {
      await bench.close();
      await proxy.close();
    }
  });
});

it('a server without a token is used without one', async () => {
  const server = await startServer({ kind: 'jupyter-server', token: '' });
  const bench = await openBench();
  try {
    const kernel = await bench.manager.start(launchOn({ url: server.url }));
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  } finally {
    await bench.close();
    await server.stop();
  }
});

it('a server below a path, as behind a hub, is used by the address of its page', async () => {
  const server = await startServer({ kind: 'jupyter-server', path: '/user/ada%20l/' });
  const bench = await openBench();
  try {
    const address = `${server.url}lab/tree/a.ipynb?token=${TOKEN}`;
    const gateway = gatewayServer(address);
    expect(gateway).toEqual({ url: server.url, token: TOKEN });
    const kernel = await bench.manager.start({ ...launchOn(server), gateway });
    expect((await run(kernel, '1 + 1')).result).toBe('2');
  } finally {
    await bench.close();
    await server.stop();
  }
});

it('a kernel gateway that does not list its kernels is told from one that does not let us in', async () => {
  const server = await startServer({ kind: 'kernel-gateway' });
  try {
    const hidden = await failure(new GatewayApi(server).kernels());
    expect(hidden).toMatchObject({ fault: 'refused' });
    expect(hidden.hint).toMatch(/KG_LIST_KERNELS/);
    expect((await failure(new GatewayApi({ ...server, token: 'not-it' }).kernels())).fault).toBe('unauthorized');
  } finally {
    await server.stop();
  }
});

it('a limit of kernels is told in the server’s words', async () => {
  const server = await startServer({ kind: 'kernel-gateway', args: ['--KernelGatewayApp.max_kernels=0'] });
  try {
    const refused = await failure(new GatewayApi(server).start({ name: 'python3', timeoutMs: 10_000 }));
    expect(refused).toMatchObject({ fault: 'refused', status: 403 });
    expect(refused.message).toContain('“Resource Limit”');
  } finally {
    await server.stop();
  }
});

describe('https with a certificate that the server signed itself', () => {
  let folder: string;
  let server: RunningServer | null = null;
  let pem = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cellwright-certificate-'));
    const made = await selfSigned(folder);
    if (!made) return;
    pem = made.pem;
    server = await startServer({ kind: 'jupyter-server', tls: made });
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused with words on what to do', async (context: TestContext) => {
    if (!server) return context.skip('there is no openssl');
    const refused = await failure(kernelsOf(server));
    expect(refused.message).toMatch(/has a certificate that it signed itself\. Give the server’s certificate/);
  });

  it.each([
    ['given', (): Partial<GatewayServer> => ({ certificate: pem })],
    ['not looked at', (): Partial<GatewayServer> => ({ anyCertificate: true })],
  ])('works when the certificate is %s', async (_name, option) => {
    if (!server) return;
    const bench = await openBench();
    try {
      const kernel = await bench.manager.start({ ...launchOn(server), gateway: { ...server, ...option() } });
      expect((await run(kernel, '"safe"')).result).toBe("'safe'");
      await kernel.restart();
      expect((await run(kernel, '1')).result).toBe('1');
    } finally {
      await bench.close();
    }
  });

  it('is not taken for another certificate, and what is none is told', async (context: TestContext) => {
    if (!server) return context.skip('there is no openssl');
    const elsewhere = path.join(folder, 'other');
    await mkdir(elsewhere);
    const other = await selfSigned(elsewhere);
    expect((await failure(kernelsOf({ ...server, certificate: other?.pem }))).fault).toBe('certificate');
    expect((await failure(kernelsOf({ ...server, certificate: 'nonsense' }))).message).toMatch(/can’t be read.*BEGIN CERTIFICATE/);
  });

  it('is told when only the address is wrong', async (context: TestContext) => {
    if (!server) return context.skip('there is no openssl');
    expect((await failure(kernelsOf({ ...server, url: server.url.replace('https', 'http') }))).hint).toMatch(/https:\/\//);
  });
});

describe('what is no Jupyter server', () => {
  const open: Server[] = [];

  afterAll(() => {
    for (const server of open) server.closeAllConnections();
    for (const server of open) server.close();
  });

  async function serve(answer: RequestListener): Promise<GatewayServer> {
    const server = createServer(answer);
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: TOKEN };
  }

  it('nothing at all', async () => {
    const server = await serve(() => {});
    const { url } = server;
    open.at(-1)?.close();
    expect((await failure(kernelsOf({ url }))).message).toBe(
      `The server at ${url} does not answer: nothing listens there. Start the Jupyter server, or check the address and the port.`,
    );
  });

  it('a name that nobody has', async () => {
    expect((await failure(kernelsOf({ url: 'http://no-such-host.invalid/' }))).message).toMatch(/can’t be (found|looked up)/);
  });

  it('a web page', async () => {
    const page = await serve((_request, response) => response.end('<!doctype html><title>Hello</title>'));
    expect(await failure(kernelsOf(page))).toMatchObject({ fault: 'not-jupyter' });
    const other = await serve((_request, response) => response.end('{"hello": "world"}'));
    expect(await failure(kernelsOf(other))).toMatchObject({ fault: 'not-jupyter' });
    const missing = await serve((_request, response) => response.writeHead(404).end('<h1>Not found</h1>'));
    expect((await failure(kernelsOf(missing))).message).toMatch(/no such page \(404\).*needs the path too/);
    // It says nothing about the kernel.
    expect((await failure(new GatewayApi(missing).kernel('some-kernel'))).fault).toBe('not-jupyter');
  });

  it('a login page and another address', async () => {
    const login = await serve((_request, response) => response.writeHead(302, { Location: '/hub/login?next=x' }).end());
    expect(await failure(kernelsOf(login))).toMatchObject({ fault: 'unauthorized' });
    const elsewhere = await serve((_request, response) => response.writeHead(301, { Location: 'https://elsewhere/?a=b' }).end());
    expect((await failure(kernelsOf(elsewhere))).message).toContain('it sends on to https://elsewhere/.');
  });

  it('something that does not speak http, and something that says nothing', async () => {
    const strange = createTcpServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const silent = createTcpServer(() => {});
    const servers = [strange, silent];
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
    const [strangeUrl, silentUrl] = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect((await failure(kernelsOf({ url: strangeUrl ?? '' }))).fault).toBe('not-jupyter');
    const late = await failure(new GatewayApi({ url: silentUrl ?? '' }).version(300));
    expect(late).toMatchObject({ fault: 'timeout' });
    expect(late.message).toMatch(/did not answer within 1 second\./);
    for (const server of servers) server.close();
  });

  it.each([
    [500, 2],
    [503, 2],
    [400, 1],
    [409, 1],
  ])('a start answered with %i is tried %i times', async (status, times) => {
    let starts = 0;
    const server = await serve((request, response) => {
      if (request.method === 'POST') starts += 1;
      response.writeHead(request.method === 'POST' ? status : 404, { 'Content-Type': 'application/json' });
      response.end('{"message": "no luck", "reason": null}');
    });
    const error = await failure(new GatewayApi(server).start({ name: 'python3', timeoutMs: 5_000 }));
    expect(starts).toBe(times);
    expect(error).toMatchObject({ status });
    expect(error.message).toContain('“no luck”');
  });

  it('a list that can be made at the second time is fine', async () => {
    let asks = 0;
    const server = await serve((_request, response) => {
      asks += 1;
      if (asks === 1) response.writeHead(500).end();
      else response.writeHead(200).end('[{"id": "a-b-c-d-e", "name": "python3"}]');
    });
    expect(await new GatewayApi(server).kernels()).toMatchObject([{ id: 'a-b-c-d-e' }]);
  });

  it('a start that works at the second time is fine', async () => {
    let starts = 0;
    const server = await serve((_request, response) => {
      starts += 1;
      if (starts === 1) response.writeHead(500).end();
      else response.writeHead(201).end('{"id": "a-b-c-d-e", "name": "python3"}');
    });
    const kernel = await new GatewayApi(server).start({ name: 'python3', timeoutMs: 5_000 });
    expect(kernel).toEqual({ id: 'a-b-c-d-e', name: 'python3', state: 'unknown', lastActivity: null, connections: null });
  });
});
