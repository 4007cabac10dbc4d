import { describe, expect, it } from 'vitest';
import {
  mayDownload,
  mayNavigate,
  mayOpenExternal,
  mayOpenWindow,
  mayRequest,
  maySendIpc,
  mayUsePermission,
  originOf,
} from '../../../main/window/permissions.ts';

const PAGE = 'app://cellwright/index.html';
const OUTPUT = 'output://doc1/cell/0.0/text%2Fhtml';

describe('who may call main', () => {
  it.each([
    ['our page', { knownWindow: true, topFrame: true, url: PAGE }, true],
    ['our page with a query', { knownWindow: true, topFrame: true, url: `${PAGE}?theme=dark` }, true],
    ['a frame in our page', { knownWindow: true, topFrame: false, url: PAGE }, false],
    ['an output', { knownWindow: true, topFrame: false, url: OUTPUT }, false],
    ['an output in the top frame', { knownWindow: true, topFrame: true, url: OUTPUT }, false],
    ['a web page', { knownWindow: true, topFrame: true, url: 'https://example.com/' }, false],
    [
      'a page whose name only begins like ours',
      { knownWindow: true, topFrame: true, url: 'app://cellwright.example.com/index.html' },
      false,
    ],
    ['a page of ours under another scheme', { knownWindow: true, topFrame: true, url: 'https://cellwright/index.html' }, false],
    ['an empty page', { knownWindow: true, topFrame: true, url: 'about:blank' }, false],
    ['a frame that is gone', { knownWindow: true, topFrame: true, url: null }, false],
    ['contents that are no window of ours', { knownWindow: false, topFrame: true, url: PAGE }, false],
  ])('%s', (_, sender, allow) => {
    expect(maySendIpc(sender).allow).toBe(allow);
  });
});

describe('where a frame may go', () => {
  it.each([
    [PAGE, true, true],
    [`${PAGE}?theme=dark`, true, true],
    ['app://cellwright/assets/index.js', true, false],
    ['app://other/index.html', true, false],
    [OUTPUT, true, false],
    ['artifact://doc1/0', true, false],
    ['https://example.com/', true, false],
    ['file:///etc/passwd', true, false],
    ['data:text/html,x', true, false],
    ['javascript:alert(1)', true, false],
    ['not an address', true, false],
  ])('%s in the top frame: %s', (url, topFrame, allow) => {
    expect(mayNavigate({ url, topFrame, inTrustedOutput: false }).allow).toBe(allow);
  });

  it.each([
    [OUTPUT, false, true],
    ['about:blank', false, true],
    ['about:srcdoc', false, true],
    [PAGE, false, false],
    ['artifact://doc1/0', false, false],
    ['https://example.com/?secret', false, false],
    ['data:text/html,x', false, false],
    ['file:///etc/passwd', false, false],
    ['https://example.com/', true, true],
    ['http://localhost:8050/', true, true],
    [PAGE, true, false],
    ['file:///etc/passwd', true, false],
    ['chrome://gpu', true, false],
  ])('%s in a frame, inside a trusted output %s: %s', (url, inTrustedOutput, allow) => {
    expect(mayNavigate({ url, topFrame: false, inTrustedOutput }).allow).toBe(allow);
  });

  it('never to a new window', () => {
    expect(mayOpenWindow().allow).toBe(false);
  });
});

describe('what opens outside', () => {
  it.each([
    ['https://example.com/a?b#c', true],
    ['http://localhost:8888/', true],
    ['mailto:someone@example.com', true],
    ['HTTPS://EXAMPLE.COM', true],
    ['https://bank.example@evil.example/', false],
    ['file:///usr/bin/xcalc', false],
    ['javascript:alert(1)', false],
    ['smb://server/share', false],
    ['vscode://file/etc', false],
    ['app://cellwright/index.html', false],
    ['data:text/html,x', false],
    ['C:\\Windows\\System32\\calc.exe', false],
    ['', false],
  ])('%s: %s', (url, allow) => {
    expect(mayOpenExternal(url).allow).toBe(allow);
  });
});

describe('downloads', () => {
  it.each([
    ['blob:app://cellwright/9d6c-11', true],
    ['blob:null/9d6c-11', false],
    ['blob:https://example.com/9d6c-11', false],
    ['blob:app://cellwright.example.com/9d6c-11', false],
    ['https://example.com/setup.exe', false],
    ['output://doc1/cell/0.0/image%2Fpng', false],
    ['data:text/plain,x', false],
  ])('%s: %s', (url, allow) => {
    expect(mayDownload(url).allow).toBe(allow);
  });
});

describe('permissions of the web platform', () => {
  it.each([
    'media',
    'geolocation',
    'notifications',
    'midi',
    'openExternal',
    'fullscreen',
    'pointerLock',
    'hid',
    'serial',
    'usb',
    'unknown',
  ])('%s is refused, also to our own page', (permission) => {
    expect(mayUsePermission({ permission, url: PAGE, topFrame: true }).allow).toBe(false);
  });

  it.each([
    ['clipboard-read', PAGE, true, true],
    ['clipboard-sanitized-write', PAGE, true, true],
    ['clipboard-read', OUTPUT, false, false],
    ['clipboard-sanitized-write', OUTPUT, false, false],
    ['clipboard-read', 'https://example.com/', true, false],
    ['clipboard-read', '', true, false],
  ])('%s for %s in the top frame %s: %s', (permission, url, topFrame, allow) => {
    expect(mayUsePermission({ permission, url, topFrame }).allow).toBe(allow);
  });
});

describe('requests', () => {
  const isTrusted = (docId: string) => docId === 'trusted';
  it.each([
    ['https://example.com/', PAGE, false],
    ['https://example.com/', null, false],
    ['https://example.com/', OUTPUT, false],
    ['wss://example.com/', OUTPUT, false],
    ['https://example.com/', 'output://trusted/c/0.0/text%2Fhtml', true],
    ['ws://localhost:5006/', 'output://trusted/c/0.0/text%2Fhtml', true],
    ['https://example.com/', 'https://trusted/', false],
    ['file:///etc/passwd', PAGE, false],
    ['file:///etc/passwd', 'output://trusted/c/0.0/text%2Fhtml', false],
    ['ftp://example.com/', 'output://trusted/c/0.0/text%2Fhtml', false],
    ['app://cellwright/index.html', null, true],
    ['data:image/png;base64,AA==', OUTPUT, true],
    ['', PAGE, false],
  ])('%s from %s: %s', (url, frameUrl, allow) => {
    expect(mayRequest({ url, frameUrl, isTrusted }).allow).toBe(allow);
  });
});

it('every refusal says why', () => {
  const verdicts = [
    maySendIpc({ knownWindow: false, topFrame: true, url: PAGE }),
    mayNavigate({ url: 'https://example.com', topFrame: true, inTrustedOutput: false }),
    mayOpenWindow(),
    mayOpenExternal('file:///x'),
    mayUsePermission({ permission: 'media', url: PAGE, topFrame: true }),
    mayRequest({ url: 'https://example.com', frameUrl: PAGE, isTrusted: () => false }),
  ];
  for (const verdict of verdicts) expect(verdict).toEqual({ allow: false, why: expect.stringMatching(/\.$/) });
});

it('has an origin for our own schemes', () => {
  expect(originOf('app://cellwright/x?y#z')).toBe('app://cellwright');
  expect(originOf('nothing')).toBeNull();
});
