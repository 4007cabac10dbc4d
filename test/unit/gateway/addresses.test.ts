/**
 * Addresses, headers and folders of servers, as values.
 */
import { describe, expect, it } from 'vitest';
import { accessHeaders, gatewayServer, tlsOptions } from '../../../main/kernels/gateway/gateway-server.ts';
import { serverPath } from '../../../main/kernels/gateway/server-kernel.ts';

describe('an address as people have it', () => {
  it.each([
    ['http://localhost:8888/', 'http://localhost:8888/', undefined],
    ['localhost:8888', 'http://localhost:8888/', undefined],
    ['  https://host.example/jupyter  ', 'https://host.example/jupyter/', undefined],
    ['http://127.0.0.1:8888/lab?token=abc', 'http://127.0.0.1:8888/', 'abc'],
    ['http://localhost:8888/?token=abc#x', 'http://localhost:8888/', 'abc'],
    ['http://localhost:8888/lab/tree/work/my%20file.ipynb?token=a%2Bb', 'http://localhost:8888/', 'a+b'],
    ['https://hub.example/user/ada/lab/workspaces/auto', 'https://hub.example/user/ada/', undefined],
    ['https://hub.example/user/ada/', 'https://hub.example/user/ada/', undefined],
    ['https://hub.example/base/api/kernels', 'https://hub.example/base/', undefined],
    ['http://localhost:8888/notebooks/a.ipynb?token=', 'http://localhost:8888/', undefined],
    ['http://name:secret@host:1/', 'http://host:1/', undefined],
    ['http://[::1]:8888/tree', 'http://[::1]:8888/', undefined],
    ['HTTP://HOST:8888/label', 'http://host:8888/label/', undefined],
  ])('%s', (address, url, token) => {
    expect(gatewayServer(address)).toEqual(token === undefined ? { url } : { url, token });
  });

  it('gives way to a token beside it', () => {
    expect(gatewayServer('http://localhost:8888/?token=old', 'new')).toEqual({ url: 'http://localhost:8888/', token: 'new' });
  });

  it.each(['', 'ftp://host/', 'http://', 'file:///tmp/x', 'http://bad host/?token=secret', 'https://u:secret@bad host/'])(
    'that is none: “%s”',
    (address) => {
      let message = '';
      try {
        gatewayServer(address);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/is not the address of a Jupyter server\. Give one like/);
      expect(message).not.toContain('secret');
    },
  );
});

it('a token goes into a header, and without one the proof against foreign pages goes twice', () => {
  expect(accessHeaders({ url: '', token: 'abc' })).toEqual({ Authorization: 'token abc' });
  const { Cookie, 'X-XSRFToken': proof } = accessHeaders({ url: '' });
  expect(Cookie).toBe(`_xsrf=${proof}`);
});

it('certificates matter for https alone', () => {
  expect(tlsOptions({ url: 'http://a/', certificate: 'nonsense' })).toEqual({});
  expect(tlsOptions({ url: 'https://a/' })).toEqual({});
  expect(tlsOptions({ url: 'https://a/', anyCertificate: true })).toEqual({ rejectUnauthorized: false });
  expect(() => tlsOptions({ url: 'https://a/', certificate: 'nonsense' })).toThrow(/can’t be read/);
});

describe('a notebook’s folder as the server names it', () => {
  it.each([
    ['/', '/home/ada/work', 'home/ada/work'],
    ['/home/ada', '/home/ada/work', 'work'],
    ['/home/ada', '/home/ada', ''],
    ['/home/ada', '/home/adam', undefined],
    ['/home/ada', '/tmp', undefined],
    ['/home/ada', '/home/ada/..b', '..b'],
    [undefined, '/home/ada', undefined],
  ])('root %s, folder %s', (rootFolder, folder, expected) => {
    expect(serverPath({ url: '', rootFolder }, folder)).toBe(expected);
  });
});
