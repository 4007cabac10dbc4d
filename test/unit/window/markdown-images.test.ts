import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachedImage, fileOfAddress, serveMarkdownImage } from '../../../main/window/markdown-images.ts';
import { readOutputAddress } from '../../../main/window/output-address.ts';
import { type ImageAddress, imageAddress, readImageAddress } from '../../../preload/image-address.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==', 'base64');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('addresses of images in markdown', () => {
  it.each([
    ['attachment:a.png', 'output://d/c/attachment/a.png'],
    ['attachment:my%20image.png', 'output://d/c/attachment/my%2520image.png'],
    ['attachment:../a.png', 'output://d/c/attachment/..%2Fa.png'],
    ['figures/a.png', 'output://d/c/file/figures%2Fa.png'],
    ['../a.png', 'output://d/c/file/..%2Fa.png'],
    ['%2e%2e/a.png', 'output://d/c/file/%252e%252e%2Fa.png'],
    ['a.png?x=1#y', 'output://d/c/file/a.png%3Fx%3D1%23y'],
    ['bilder/größe.png', 'output://d/c/file/bilder%2Fgr%C3%B6%C3%9Fe.png'],
  ])('%s is %s', (written, address) => {
    expect(imageAddress('d', 'c', written)).toBe(address);
  });

  it.each([
    '',
    'attachment:',
    'https://example.org/a.png',
    '//example.org/a.png',
    '/etc/a.png',
    '\\\\host\\a.png',
    'C:\\a.png',
    'file:///a.png',
    'javascript:1',
    'data:image/png;base64,AAAA',
    '#heading',
    '?a.png',
    'a\ud800.png',
    `${'a'.repeat(5000)}.png`,
  ])('%s has none', (written) => {
    expect(imageAddress('d', 'c', written)).toBeNull();
  });

  it('are read as they were made, and never taken for an output’s', () => {
    const kind = fc.constantFrom<ImageAddress['kind']>('attachment', 'file');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), kind, fc.string({ minLength: 1, maxLength: 200 }), (cellKey, wanted, name) => {
        fc.pre(!/^\.{1,2}$/.test(cellKey) && !/^\.{1,2}$/.test(name));
        const address = imageAddress('d', cellKey, wanted === 'attachment' ? `attachment:${name}` : name);
        fc.pre(address !== null && (wanted === 'attachment' || !name.startsWith('attachment:')));
        expect(readImageAddress(address!)).toEqual({ docId: 'd', cellKey, kind: wanted, name });
        expect(readOutputAddress(address!)).toBeNull();
      }),
    );
  });

  it.each([
    'output://d/c/file',
    'output://d/c/file/a/b.png',
    'output://d/c/file/..',
    'output://d/c/other/a.png',
    'output://d/c/0.0/image%2Fpng',
    'output://d/c/file/%ff',
    'artifact://d/c/file/a.png',
    'nothing',
  ])('%s is none', (address) => {
    expect(readImageAddress(address)).toBeNull();
  });
});

describe('the file that an address means', () => {
  const folder = path.resolve('/data/notebooks');
  it.each([
    ['a.png', 'a.png'],
    ['./figures//a.png', 'figures/a.png'],
    ['figures/../a.png', 'a.png'],
    ['two%20words.png', 'two words.png'],
    ['two words.png', 'two words.png'],
    ['100%.png', '100%.png'],
    ['a.png?raw=true#here', 'a.png'],
    ['a%3Fb.png', 'a?b.png'],
    ['..a.png', '..a.png'],
  ])('%s', (address, file) => {
    expect(fileOfAddress(address, folder)).toBe(path.join(folder, file));
  });

  it.each([
    '../a.png',
    '..%2fa.png',
    'b/../../a.png',
    '%2fetc/a.png',
    '/etc/a.png',
    '.',
    '..',
    '',
    '?a.png',
    'a%00.png',
    '../notebooks2/a.png',
  ])('none for %s', (address) => {
    expect(fileOfAddress(address, folder)).toBeNull();
  });

  it('is never outside, and may be anywhere below the root of the disk', () => {
    const piece = fc.constantFrom('..', '.', '%2e%2e', '%2f', '/', '\\', '%5c', 'a', '%00', '//', '%25', 'a.png');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const file = fileOfAddress(pieces.join(''), folder);
        expect(file === null || path.resolve(file).startsWith(folder + path.sep)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    const root = path.parse(folder).root;
    expect(fileOfAddress('a.png', root)).toBe(path.join(root, 'a.png'));
  });
});

describe('an attached image', () => {
  const png = { 'image/png': PNG.toString('base64') };
  it.each([
    ['by its name', { 'a.png': png }, 'a.png', 'image/png', PNG],
    ['by its encoded name', { 'a b.png': png }, 'a%20b.png', 'image/png', PNG],
    ['whose name only looks encoded', { 'a%20b.png': png }, 'a%20b.png', 'image/png', PNG],
    ['that comes beside another type', { 'a.png': { 'text/plain': 'x', ...png } }, 'a.png', 'image/png', PNG],
    ['in lines', { 'a.png': { 'image/png': ['iVBOR', 'w0KGgo='] } }, 'a.png', 'image/png', PNG.subarray(0, 8)],
    ['that is SVG', { 'a.svg': { 'image/svg+xml': SVG } }, 'a.svg', 'image/svg+xml', Buffer.from(SVG)],
    ['that is SVG in base64', { 'a.svg': { 'image/svg+xml': btoa(SVG) } }, 'a.svg', 'image/svg+xml', Buffer.from(SVG)],
  ] as const)('%s', (_, attachments, name, type, bytes) => {
    expect(attachedImage(attachments, name)).toEqual({ type, bytes });
  });

  it.each([
    ['of another name', { 'a.png': png }, 'b.png'],
    ['named like a part of every object', {}, 'constructor'],
    ['that is no image', { 'a.html': { 'text/html': '<script>1</script>' } }, 'a.html'],
    ['of a type that is not shown', { 'a.x': { 'image/x"; b': 'AAAA' } }, 'a.x'],
  ])('none %s', (_, attachments, name) => {
    expect(attachedImage(attachments, name)).toBeNull();
  });
});

describe('what is served', () => {
  let root: string;
  let document: { path: string | null; attachments: (key: string) => Record<string, Record<string, string>> | null };
  const ask = (kind: ImageAddress['kind'], name: string, cellKey = 'c', from = document) =>
    serveMarkdownImage({ method: 'GET', headers: new Headers() }, { docId: 'd', cellKey, kind, name }, from);

  beforeAll(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-images-')));
    const folder = path.join(root, 'notebooks');
    await mkdir(path.join(folder, 'figures', 'folder.png'), { recursive: true });
    await writeFile(path.join(root, 'secret.png'), PNG);
    for (const name of ['figures/a.PNG', 'notes.txt', 'page.html']) await writeFile(path.join(folder, name), PNG);
    await writeFile(path.join(folder, 'huge.png'), '');
    await truncate(path.join(folder, 'huge.png'), 50 * 1024 * 1024 + 1);
    await symlink(path.join(root, 'secret.png'), path.join(folder, 'leads-out.png'));
    await symlink(root, path.join(folder, 'up'));
    await symlink(path.join(folder, 'figures', 'a.PNG'), path.join(folder, 'leads-in.png'));
    await symlink(folder, path.join(root, 'same'));
    document = {
      path: path.join(folder, 'a.ipynb'),
      attachments: (key) => (key === 'c' ? { 'a.png': { 'image/png': PNG.toString('base64') } } : null),
    };
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it.each([
    ['attachment', 'a.png'],
    ['file', 'figures/a.PNG'],
    ['file', 'leads-in.png'],
  ] as const)('%s %s', async (kind, name) => {
    const answer = await ask(kind, name);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
  });

  it('a file beside a notebook that was opened through a link to its folder', async () => {
    const answer = await ask('file', 'figures/a.PNG', 'c', { ...document, path: path.join(root, 'same', 'a.ipynb') });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  it.each([
    '../secret.png',
    'up/secret.png',
    'leads-out.png',
    'missing.png',
    'notes.txt',
    'page.html',
    'huge.png',
    'figures/folder.png',
    'figures',
  ])('nothing for the file %s', async (name) => {
    expect((await ask('file', name)).status).toBe(404);
  });

  it('nothing for a notebook without a folder, a cell without attachments, and no notebook', async () => {
    expect((await ask('file', 'figures/a.PNG', 'c', { ...document, path: null })).status).toBe(404);
    expect((await ask('attachment', 'a.png', 'other')).status).toBe(404);
    const gone = await serveMarkdownImage(
      { method: 'GET', headers: new Headers() },
      { docId: 'x', cellKey: 'c', kind: 'file', name: 'a.png' },
      undefined,
    );
    expect(gone.status).toBe(404);
  });
});
