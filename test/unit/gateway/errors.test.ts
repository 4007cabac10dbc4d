/**
 * Errors about servers: each says what is wrong and ends in what to do, and a token is in none of them.
 */
import { describe, expect, it } from 'vitest';
import { fromHost } from '../../../main/kernels/errors.ts';
import { GatewayError, type GatewayFault, networkError, statusError, timeoutError } from '../../../main/kernels/gateway/gateway-errors.ts';
import { startError } from '../../../main/kernels/gateway/server-kernel.ts';
import { RemoteError } from '../../../main/kernels/host/rpc.ts';

const SERVER = 'http://host:8888/';

describe('answers', () => {
  it.each<[string, { status: number; text: string; location?: string }, boolean, GatewayFault, RegExp]>([
    ['401', { status: 401, text: '' }, true, 'unauthorized', /does not accept the token\. Copy/],
    [
      '403 without a word',
      { status: 403, text: '{"message": "Forbidden", "reason": null}' },
      false,
      'unauthorized',
      /asks for a token\. Give/,
    ],
    [
      '403 for a missing proof',
      { status: 403, text: `{"message": "'_xsrf' argument missing"}` },
      false,
      'unauthorized',
      /asks for a token/,
    ],
    ['403 with a reason', { status: 403, text: '{"reason": "Resource Limit", "message": ""}' }, true, 'refused', /“Resource Limit”/],
    ['a login page', { status: 302, text: '', location: '/hub/oauth_login?x=y' }, true, 'unauthorized', /does not accept/],
    ['a redirect', { status: 301, text: '', location: 'https://b/?q' }, true, 'not-jupyter', /sends on to https:\/\/b\/\./],
    ['404 of a page', { status: 404, text: '<html>' }, true, 'not-jupyter', /no such page/],
    [
      '404 of the server',
      { status: 404, text: '{"message": "Kernel does not exist: x"}' },
      true,
      'not-found',
      /“Kernel does not exist: x”/,
    ],
    ['424 of a hub', { status: 424, text: '{"message": "not running"}' }, true, 'refused', /\(424\).*“not running”/],
    [
      '500',
      { status: 500, text: '{"message": "Boom\\nTraceback", "traceback": "…"}' },
      true,
      'server-error',
      /failed to do it \(500\)\. It says: “Boom” Look/,
    ],
    ['503 of a proxy', { status: 503, text: '<h1>Unavailable</h1>' }, true, 'server-error', /\(503\)\. Look at the server’s own log/],
  ])('%s', (_name, answer, hasToken, fault, words) => {
    const error = statusError(SERVER, 'do it', answer, hasToken);
    expect(error).toMatchObject({ fault, code: fault, status: answer.status });
    expect(error.message).toMatch(words);
    expect(error.message.endsWith(error.hint)).toBe(true);
  });
});

describe('no answer', () => {
  it.each<[string, GatewayFault]>([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNRESET', 'unreachable'],
    ['EMFILE', 'unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['HPE_INVALID_CONSTANT', 'not-jupyter'],
    ['', 'unreachable'],
  ])('%s', (code, fault) => {
    const cause = Object.assign(new Error('low-level words'), code === '' ? {} : { code });
    const error = networkError(SERVER, cause);
    expect(error).toMatchObject({ fault, cause });
    expect(error.message).toMatch(/^(The server at|There is no Jupyter server at) http:\/\/host:8888\/.*\.$/);
    expect(error.message).not.toContain('low-level');
  });

  it('in time', () => {
    expect(timeoutError(SERVER, 400).message).toMatch(/within 1 second\./);
    expect(timeoutError(SERVER, 10_000).message).toMatch(/within 10 seconds\./);
  });
});

it('an error of the kernel host is the same error here, with its words once', () => {
  const there = statusError(SERVER, 'connect', { status: 401, text: '' }, true);
  const here = fromHost(new RemoteError(there.message, there.name, there.code));
  expect(here).toBeInstanceOf(GatewayError);
  expect(here).toMatchObject({ fault: 'unauthorized', message: there.message });
  expect(startError(here)).toMatchObject({ name: 'KernelStartError', failure: 'gateway', message: there.message });
  expect(startError(there)).toMatchObject({ message: there.message, hint: there.hint });
});
