import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOutputs } from '../../../main/documents/stored-outputs.ts';
import type { RawPayload } from '../../../main/execution/run-protocol.ts';
import {
  exactJson,
  isBase64,
  isFramed,
  isServed,
  MAX_INLINE_BYTES,
  payloadBytes,
  toWindowOutput,
  toWindowPayload,
} from '../../../main/window/payloads.ts';
import { parseExact } from '../../../preload/exact-json.ts';
import type { Output } from '../../../preload/output-change.ts';
import { jsonChildren, jsonKind, jsonPreview } from '../../../renderer/outputs/json-entries.ts';

const address = () => 'output://d/c/0.0/x';

describe('what a window gets of a payload', () => {
  it.each([
    ['text', 'text/plain', 'hello', { kind: 'inline', value: 'hello' }],
    ['text as lines', 'text/plain', ['a\n', 'b'], { kind: 'inline', value: 'a\nb' }],
    ['empty text', 'text/plain', '', { kind: 'inline', value: '' }],
    ['no lines', 'text/markdown', [], { kind: 'inline', value: '' }],
    ['JSON', 'application/json', { a: [1, 'x'] }, { kind: 'inline', value: { a: [1, 'x'] } }],
    ['JSON that is a list of texts', 'application/json', ['a', 'b'], { kind: 'inline', value: ['a', 'b'] }],
    ['JSON null', 'application/json', null, { kind: 'inline', value: null }],
    ['a vendor’s JSON', 'application/vnd.dataresource+json', { data: [] }, { kind: 'inline', value: { data: [] } }],
    ['a plot, which a frame draws', 'application/vnd.plotly.v1+json', { data: [] }, { kind: 'url', url: address(), bytes: 11 }],
    ['an image', 'image/png', 'AAAAAAAA', { kind: 'url', url: address(), bytes: 6 }],
    ['an image as lines', 'image/png', ['AAAA\n', 'AAAA\n'], { kind: 'url', url: address(), bytes: 7 }],
    ['HTML, however small', 'text/html', '<b>', { kind: 'url', url: address(), bytes: 3 }],
    ['HTML with a parameter', 'Text/HTML; charset=utf-8', '<b>', { kind: 'url', url: address(), bytes: 3 }],
    ['SVG', 'image/svg+xml', ['<svg>', 'é</svg>'], { kind: 'url', url: address(), bytes: 13 }],
    ['a script', 'application/javascript', '1', { kind: 'url', url: address(), bytes: 1 }],
    [
      'a spilled payload',
      'text/plain',
      { $artifact: '3', file: '3.txt', bytes: 9e8, encoding: 'utf8' },
      { kind: 'url', url: address(), bytes: 9e8 },
    ],
  ])('%s', (_, mime, payload, expected) => {
    expect(toWindowPayload(mime, payload, address)).toEqual(expected);
  });

  it('counts bytes and not characters where it divides inline from address', () => {
    const fits = 'é'.repeat(MAX_INLINE_BYTES / 2);
    expect(toWindowPayload('text/plain', fits, address).kind).toBe('inline');
    expect(toWindowPayload('text/plain', `${fits}a`, address)).toEqual({ kind: 'url', url: address(), bytes: MAX_INLINE_BYTES + 1 });
    expect(toWindowPayload('application/json', { a: fits }, address).kind).toBe('url');
  });

  it('converts every type of a bundle and nothing else of it', () => {
    const output: Output<unknown> = {
      type: 'execute_result',
      data: { 'text/plain': ['x'], 'image/png': 'AAAA' },
      metadata: { 'image/png': { width: 3 } },
      executionCount: 4,
      displayId: 'i',
    };
    expect(toWindowOutput(output, (mime) => `output://d/c/0.0/${encodeURIComponent(mime)}`)).toEqual({
      ...output,
      data: {
        'text/plain': { kind: 'inline', value: 'x' },
        'image/png': { kind: 'url', url: 'output://d/c/0.0/image%2Fpng', bytes: 3 },
      },
    });
  });

  it('leaves streams and errors as they are', () => {
    const stream: Output<unknown> = { type: 'stream', name: 'stdout', text: 'x' };
    expect(toWindowOutput(stream, address)).toBe(stream);
  });
});

describe('what an address serves', () => {
  it.each([
    ['base64', 'image/png', 'iVBORw0KGgo=', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['base64 with line feeds', 'image/png', ['iVBO\n', 'Rw0K\n', 'Ggo=\n'], Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['SVG text', 'image/svg+xml', '<svg/>', Buffer.from('<svg/>')],
    ['HTML lines', 'text/html', ['<p>\n', 'é'], Buffer.from('<p>\né')],
    ['JSON', 'application/json', { a: 1 }, Buffer.from('{"a":1}')],
    ['JSON text', 'application/json', 'x', Buffer.from('"x"')],
    ['text', 'text/plain', 'x', Buffer.from('x')],
  ])('%s', (_, mime, payload, expected) => {
    expect(payloadBytes(mime, payload)).toEqual(expected);
  });
});

it.each([
  ['image/png', true, false, true],
  ['image/webp', true, false, true],
  ['video/mp4', true, false, true],
  ['application/pdf', true, false, true],
  ['image/svg+xml', true, true, false],
  ['text/html', true, true, false],
  ['application/javascript', true, true, false],
  ['text/plain', false, false, false],
  ['text/latex', false, false, false],
  ['application/vnd.jupyter.widget-view+json', false, false, false],
])('%s: served %s, framed %s, base64 %s', (mime, served, framed, base64) => {
  expect([isServed(mime), isFramed(mime), isBase64(mime)]).toEqual([served, framed, base64]);
});

describe('JSON of a file with numbers that no value can hold', () => {
  const large =
    '{"id": 9007199254740993, "ns": [-12345678901234567890, 1.0, 0.1234567890123456], "text": "9007199254740993 \\" 9007199254740993"}';
  const stored = (json: string): Output<RawPayload> => {
    const text = `[{"output_type": "display_data", "metadata": {}, "data": {"text/plain": "9007199254740993", "application/json": ${json}}}]`;
    const bytes = Buffer.from(text);
    return decodeOutputs({ bytes, start: 0, end: bytes.length, count: 1 })[0]!;
  };
  const jsonOf = (output: Output<RawPayload>) => {
    const shown = toWindowOutput(output, address);
    return shown.type === 'display_data' ? shown.data['application/json'] : undefined;
  };

  it('comes with its own text, other JSON without', () => {
    expect(jsonOf(stored(large))).toMatchObject({ kind: 'inline', exact: large });
    expect(jsonOf(stored('{"id": 12}'))).toEqual({ kind: 'inline', value: { id: 12 } });
    const { data } = toWindowOutput(stored(large), address) as { data: Record<string, unknown> };
    expect(data['text/plain']).toEqual({ kind: 'inline', value: '9007199254740993' });
  });

  it('comes with all digits from its address too, however long it is', () => {
    const long = `[${Array.from({ length: MAX_INLINE_BYTES / 16 }, () => '9007199254740993').join(', ')}]`;
    const output = stored(long);
    expect(jsonOf(output)).toMatchObject({ kind: 'url' });
    if (output.type !== 'display_data') throw new Error('not a display');
    expect(exactJson(output, 'application/json')).toBe(long);
    expect(exactJson(output, 'text/plain')).toBeNull();
  });

  it('is exact from the kernel as from the file, and windows get nothing else of that', () => {
    const output: Output<RawPayload> = {
      type: 'display_data',
      data: { 'application/json': [9007199254740992] },
      metadata: {},
      executionCount: null,
      exact: { 'application/json': '[9007199254740993]' },
    };
    expect(toWindowOutput(output, address)).toEqual({
      type: 'display_data',
      data: { 'application/json': { kind: 'inline', value: [9007199254740992], exact: '[9007199254740993]' } },
      metadata: {},
      executionCount: null,
    });
  });

  it('is shown with the digits that the file has', () => {
    const value = parseExact(large) as Record<string, unknown>;
    expect(jsonPreview(value)).toBe('{id: 9007199254740993, ns: [3], …}');
    expect(jsonChildren(value.ns).map((child) => [jsonKind(child.value), String(child.value)])).toEqual([
      ['number', '-12345678901234567890'],
      ['number', '1'],
      ['number', '0.1234567890123456'],
    ]);
    expect(value.text).toBe('9007199254740993 " 9007199254740993');
    expect(parseExact('9007199254740991')).toBe(9007199254740991);
    expect(() => parseExact('{"a": 9007199254740993')).toThrow(SyntaxError);
  });

  it('is the same as JSON.parse gives for everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void expect(parseExact(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))),
    );
  });
});
