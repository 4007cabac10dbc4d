import { randomUUID } from 'node:crypto';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appFile, appHeaders, PAGE_POLICY } from '../../../main/window/app-files.ts';
import { byteRange } from '../../../main/window/byte-range.ts';
import { readCommandLine } from '../../../main/window/command-line.ts';
import { outputAddress, readOutputAddress } from '../../../main/window/output-address.ts';

describe('files of the page', () => {
  const folder = path.resolve('/opt/app/renderer');
  it.each([
    ['app://cellwright/', 'index.html'],
    ['app://cellwright/index.html?theme=dark#x', 'index.html'],
    ['app://cellwright/assets/index-a1.js', 'assets/index-a1.js'],
    ['app://cellwright/assets/with%20space.js', 'assets/with space.js'],
    ['app://cellwright/assets/../index.html', 'index.html'],
  ])('%s is %s', (address, file) => {
    expect(appFile(address, folder)).toBe(path.join(folder, file));
  });

  it.each([
    'app://cellwright/..%2f..%2fetc/passwd',
    'app://cellwright/%2e%2e/%2e%2e/etc/passwd%00.js',
    'app://cellwright/..%5c..%5cetc',
    'app://cellwright/%2fetc%2fpasswd/..%2f..%2f..%2f..%2fx',
    'app://cellwright/%',
    'app://cellwright/%ff',
    'app://cellwright/a%00b',
    'app://other/index.html',
    'https://cellwright/index.html',
    'nothing',
  ])('%s is none, or stays inside', (address) => {
    const file = appFile(address, folder);
    if (file !== null) expect(file.startsWith(folder + path.sep)).toBe(true);
  });

  it('no address leads out of the folder', () => {
    const piece = fc.constantFrom('..', '.', '%2e%2e', '%2f', '/', '\\', '%5c', 'a', '%00', '//', '%25', '%252e');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const file = appFile(`app://cellwright/${pieces.join('')}`, folder);
        expect(file === null || path.resolve(file).startsWith(folder + path.sep)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('carry a type, the policy and no guessing', () => {
    for (const name of ['index.html', 'a.js', 'a.css', 'a.woff2', 'a.svg']) {
      expect(appHeaders(name)).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-security-policy': PAGE_POLICY });
    }
    expect(appHeaders('a.exe')).toBeNull();
    expect(appHeaders('passwd')).toBeNull();
  });

  it('allow neither inline script nor eval nor a foreign host', () => {
    const script = PAGE_POLICY.split('; ').find((directive) => directive.startsWith('script-src'));
    expect(script).toBe("script-src 'self'");
    expect(PAGE_POLICY).toContain("default-src 'none'");
    expect(PAGE_POLICY).not.toMatch(/https?:|\*|unsafe-eval/);
  });
});

describe('addresses of outputs', () => {
  it('are read as they were made', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(), fc.string({ minLength: 1 }), (cellKey, index, revision, mime) => {
        // A key or type of dots alone would be a folder step; none is ever made.
        fc.pre(!/^\.{1,2}$/.test(cellKey) && !/^\.{1,2}$/.test(mime));
        fc.pre(index < 1e9 && revision < 1e9);
        const address = { docId: randomUUID(), cellKey, index, revision, mime };
        expect(readOutputAddress(outputAddress(address))).toEqual(address);
      }),
    );
  });

  it('may carry a theme', () => {
    const address = { docId: 'd', cellKey: 'c', index: 3, revision: 2, mime: 'text/html' };
    expect(readOutputAddress(`${outputAddress(address)}?theme=dark`)).toEqual(address);
  });

  it.each([
    'output://d/c/0.0',
    'output://d/c/0/text%2Fhtml',
    'output://d/c/0.0/text%2Fhtml/more',
    'output://d/c/-1.0/text%2Fhtml',
    'output://d/c/0.99999999999/text%2Fhtml',
    'output://d/%ff/0.0/text%2Fhtml',
    'artifact://d/c/0.0/text%2Fhtml',
    'nothing',
  ])('%s is none', (address) => {
    expect(readOutputAddress(address)).toBeNull();
  });
});

describe('byte ranges', () => {
  it.each([
    [null, 10, 'whole'],
    ['bytes=0-3', 10, { start: 0, end: 3 }],
    ['bytes=4-', 10, { start: 4, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-99', 10, { start: 0, end: 9 }],
    ['bytes=0-99', 10, { start: 0, end: 9 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    ['bytes=5-2', 10, 'whole'],
    ['bytes=-', 10, 'whole'],
    ['bytes=0-1,3-4', 10, 'whole'],
    ['lines=0-1', 10, 'whole'],
  ])('%s of %i bytes', (header, size, expected) => {
    expect(byteRange(header, size)).toEqual(expected);
  });
});

describe('the command line', () => {
  it.each([
    ['files, relative to where it was called', ['a.ipynb', '/b/c.ipynb'], { files: ['/cwd/a.ipynb', '/b/c.ipynb'], flags: {} }],
    ['a setting', ['--theme=dark', 'a'], { files: ['/cwd/a'], flags: { '--theme': 'dark' } }],
    ['switches of Chromium', ['--no-sandbox', '--remote-debugging-port=0', '-x', 'a'], { files: ['/cwd/a'], flags: {} }],
    ['a file named like a switch', ['--', '--theme=dark'], { files: ['/cwd/--theme=dark'], flags: {} }],
    ['an address of a file', ['file:///data/my%20file.ipynb'], { files: ['/data/my file.ipynb'], flags: {} }],
    ['an address that is no file’s', ['file://host/%'], { files: ['/cwd/file:/host/%'], flags: {} }],
    ['nothing', [''], { files: [], flags: {} }],
  ])('with %s', (_, argv, expected) => {
    expect(readCommandLine(argv, '/cwd')).toEqual(expected);
  });

  it('leaves out the app’s own folder, and only that', () => {
    const argv = ['--no-sandbox', '/app', '--theme=dark', '/app', 'a'];
    expect(readCommandLine(argv, '/cwd', { afterApp: true })).toEqual({ files: ['/app', '/cwd/a'], flags: { '--theme': 'dark' } });
    expect(readCommandLine(['--no-sandbox'], '/cwd', { afterApp: true })).toEqual({ files: [], flags: {} });
  });
});
