/** The way to kernels that the settings name: which one it is, the server it leads to, and what doctor says of it. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { transportFindings } from '../../../main/cli/transport-findings.ts';
import { configuredGateway, type GatewaySettings, transportOf } from '../../../main/kernels/gateway/configured-gateway.ts';
import { offerSpec } from '../../../main/kernels/gateway/offered-specs.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { defaultSettings } from '../../../main/settings/settings-schema.ts';

const AT = 'http://localhost:9999/';

describe('the transport', () => {
  it.each([
    ['auto', null, 'direct'],
    ['auto', AT, 'gateway'],
    ['direct', AT, 'direct'],
    ['gateway', null, 'gateway'],
    ['shared-gateway', AT, 'shared-gateway'],
  ] as const)('%s with the address %s is %s', (kernelTransport, gatewayUrl, expected) => {
    expect(transportOf({ kernelTransport, gatewayUrl })).toBe(expected);
  });

  const settings = (change: Partial<GatewaySettings>): GatewaySettings => ({ ...defaultSettings, ...change });

  it('leads to a server only when it is that of one', async () => {
    expect(await configuredGateway(settings({ gatewayUrl: `${AT}lab?token=abc` }))).toEqual({ url: AT, token: 'abc' });
    expect(await configuredGateway(settings({ gatewayUrl: AT, kernelTransport: 'direct' }))).toBeNull();
    expect(await configuredGateway(settings({ gatewayUrl: AT, kernelTransport: 'shared-gateway' }))).toBeNull();
    await expect(configuredGateway(settings({ kernelTransport: 'gateway' }))).rejects.toThrow(
      /none is named\. Give its address as gatewayUrl\./,
    );
    await expect(configuredGateway(settings({ gatewayUrl: AT, gatewayCertificate: '/no/such.pem' }))).rejects.toThrow(/Name a PEM file\./);
  });
});

describe('doctor', () => {
  let folder: string;
  let server: Server | null = null;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cellwright-transport-'));
    vi.stubEnv('JUPYTER_RUNTIME_DIR', folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    server?.closeAllConnections();
    server?.close();
    server = null;
    await rm(folder, { recursive: true, force: true });
  });

  /** Answers as a Jupyter server does that has these kernels. */
  async function serve(kernelspecs: Record<string, unknown>): Promise<string> {
    const listening = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      if (request.url === '/api') response.end('{"version": "2.14.0"}');
      else response.end(JSON.stringify({ default: 'python3', kernelspecs }));
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
  }

  it('says that kernels are run directly', async () => {
    expect(await transportFindings(defaultSettings)).toMatchObject([
      { name: 'Kernels', status: 'ok', detail: expect.stringContaining('direct') },
    ]);
  });

  it('asks the server for its version and kernels', async () => {
    const gatewayUrl = await serve({ python3: { spec: { argv: [], display_name: 'Python', language: 'python' } } });
    const [finding] = await transportFindings({ ...defaultSettings, gatewayUrl });
    expect(finding).toEqual({
      name: 'Kernels',
      status: 'ok',
      detail: `run on the server at ${gatewayUrl} (gateway), version 2.14.0: python3`,
    });
  });

  it('tells a server without kernels, one that does not answer, and none', async () => {
    const gatewayUrl = await serve({});
    expect(await transportFindings({ ...defaultSettings, gatewayUrl })).toMatchObject([{ status: 'missing', fix: 'install one there' }]);
    const silent = { ...defaultSettings, gatewayUrl: 'http://127.0.0.1:9/' };
    expect(await transportFindings(silent)).toMatchObject([{ status: 'missing', detail: expect.stringContaining('does not answer') }]);
    const none = { ...defaultSettings, kernelTransport: 'gateway' } as const;
    expect(await transportFindings(none)).toMatchObject([{ status: 'missing', fix: 'Give its address as gatewayUrl.' }]);
  });

  it('tells a Python for the shared gateway that has no server', async () => {
    const program = path.join(folder, 'python');
    await writeFile(program, '#!/bin/sh\necho False\n', { mode: 0o755 });
    const settings = { ...defaultSettings, kernelTransport: 'shared-gateway', sharedGatewayPython: program } as const;
    expect(await transportFindings(settings)).toMatchObject([
      { status: 'missing', fix: `run \`${program} -m pip install jupyter_server\`` },
    ]);
    await writeFile(program, '#!/bin/sh\necho True\n', { mode: 0o755 });
    expect(await transportFindings(settings)).toMatchObject([{ status: 'ok', detail: expect.stringContaining(`which ${program} starts`) }]);
  });
});

describe('a kernelspec that is offered to the shared gateway', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cellwright-offered-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const spec: KernelSpec = {
    name: 'python3',
    displayName: 'Python',
    language: 'python',
    argv: ['/venv/bin/python', '-f', '{connection_file}', '{resource_dir}/logo'],
    env: { FROM_SPEC: 'yes' },
    interruptMode: 'message',
    resourceDir: '/specs/python3',
    source: 'kernelspec',
  };

  it('has the command, the variables and nothing that a key is in, for this user alone', async () => {
    vi.stubEnv('SOME_API_KEY', 'secret');
    vi.stubEnv('PRICE', '5$ or $' + '{HOME}');
    const name = await offerSpec(folder, { spec, env: { ARTIFACTS: '/artifacts' } });
    vi.unstubAllEnvs();
    const file = path.join(folder, name, 'kernel.json');
    const written = JSON.parse(await readFile(file, 'utf8'));
    expect(written).toMatchObject({
      argv: ['/venv/bin/python', '-f', '{connection_file}', '/specs/python3/logo'],
      interrupt_mode: 'message',
      env: { FROM_SPEC: 'yes', ARTIFACTS: '/artifacts', PRICE: '5$$ or $$' + '{HOME}' },
    });
    expect(written.env).not.toHaveProperty('SOME_API_KEY');
    expect(written.env).not.toHaveProperty('JPY_PARENT_PID');
    expect([(await stat(file)).mode & 0o777, (await stat(path.dirname(file))).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('has one name for the same and another for another', async () => {
    const names = await Promise.all([
      offerSpec(folder, { spec }),
      offerSpec(folder, { spec }),
      offerSpec(folder, { spec: { ...spec, env: {} } }),
    ]);
    expect(names[0]).toBe(names[1]);
    expect(names[2]).not.toBe(names[0]);
  });

  it('that has no command goes by its own name', async () => {
    expect(await offerSpec(folder, { spec: { ...spec, argv: [] } })).toBe('python3');
  });
});
