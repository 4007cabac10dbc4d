import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveApp } from '../../../main/window/app-protocol.ts';
import { servedType } from '../../../main/window/output-protocol.ts';
import { fileResponse } from '../../../main/window/served-files.ts';

const CONTENT = '0123456789'.repeat(20_000);
let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-served-'));
  file = path.join(folder, 'log.txt');
  await writeFile(file, CONTENT);
  await writeFile(path.join(folder, 'empty'), '');
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  await writeFile(path.join(folder, 'secret.env'), 'x');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const get = (name: string, range?: string, method = 'GET') =>
  fileResponse(path.join(folder, name), 'text/plain', { method, headers: new Headers(range ? { range } : {}) });

describe('a served file', () => {
  it('comes whole without a range', async () => {
    const answer = await get('log.txt');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(CONTENT.length));
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(await answer.text()).toBe(CONTENT);
  });

  it.each([
    ['bytes=0-9', '0123456789', 'bytes 0-9/200000'],
    ['bytes=199998-', '89', 'bytes 199998-199999/200000'],
    ['bytes=-3', '789', 'bytes 199997-199999/200000'],
    ['bytes=100000-100004', '01234', 'bytes 100000-100004/200000'],
  ])('comes in part for %s', async (range, text, contentRange) => {
    const answer = await get('log.txt', range);
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(await answer.text()).toBe(text);
  });

  it('says when the range is past its end', async () => {
    const answer = await get('log.txt', 'bytes=200000-');
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */200000']);
  });

  it('may be empty, asked for its head, missing, or a folder', async () => {
    expect(await (await get('empty')).text()).toBe('');
    const head = await get('log.txt', undefined, 'HEAD');
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['200000', '']);
    expect((await get('none')).status).toBe(404);
    expect((await get('.')).status).toBe(404);
  });

  it('has no rights of its own and is readable by our page alone', async () => {
    const { headers } = await get('log.txt');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect(headers.get('access-control-allow-origin')).toBe('app://cellwright');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the page’s own files', () => {
  it.each([
    ['app://cellwright/index.html', 200],
    ['app://cellwright/', 200],
    ['app://cellwright/none.js', 404],
    ['app://cellwright/secret.env', 404],
    ['app://cellwright/log.txt', 404],
    ['app://cellwright/..%2fx.js', 404],
  ])('%s: %i', async (address, status) => {
    expect((await serveApp(address, folder)).status).toBe(status);
  });
});

it.each([
  ['image/png', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['IMAGE/PNG', 'image/png'],
  ['application/json', 'application/json; charset=utf-8'],
  ['application/vnd.vega.v5+json', 'application/json; charset=utf-8'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/html', 'text/plain; charset=utf-8'],
  ['text/html; x=y', 'text/plain; charset=utf-8'],
  ['application/javascript', 'text/plain; charset=utf-8'],
  ['application/xhtml+xml', 'application/octet-stream'],
  ['application/x-anything\r\nset-cookie: a', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('bare bytes of type %j are served as %s', (mime, type) => {
  expect(servedType(mime)).toBe(type);
});
