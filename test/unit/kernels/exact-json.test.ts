/** Whole numbers that no JavaScript number holds, from the bytes of a message to the output: all of their digits, and nothing else is touched. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputsText } from '../../../main/agents/output-text.ts';
import { displayContent } from '../../../main/execution/agents/display-content.ts';
import { dataContent } from '../../../main/execution/message-content.ts';
import { encodeLarge, PAYLOAD_LIMIT } from '../../../main/execution/payloads.ts';
import { createSigner, decodeMessage } from '../../../main/kernels/direct/wire.ts';
import { decodeFrame, PROTOCOL_V1 } from '../../../main/kernels/gateway/websocket-frames.ts';
import { exactJsonOf, markLarge, parseExact } from '../../../preload/exact-json.ts';

const signer = createSigner('a key', 'hmac-sha256');

function direct(type: string, content: string) {
  const parts = [`{"msg_id":"1","msg_type":"${type}"}`, '{}', '{}', content].map((part) => Buffer.from(part));
  return decodeMessage('iopub', [Buffer.from('<IDS|MSG>'), Buffer.from(signer.sign(parts)), ...parts], signer);
}

function throughServer(type: string, content: string) {
  const parts = ['iopub', `{"msg_id":"1","msg_type":"${type}"}`, '{}', '{}', content].map((part) => Buffer.from(part));
  const head = 8 * (parts.length + 2);
  const ends = parts.map((_, index) => parts.slice(0, index + 1).reduce((sum, { length }) => sum + length, head));
  const offsets = Buffer.alloc(head);
  for (const [index, value] of [parts.length + 1, head, ...ends].entries()) offsets.writeBigUInt64LE(BigInt(value), 8 * index);
  const bytes = Buffer.concat([offsets, ...parts]);
  return decodeFrame(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer, PROTOCOL_V1);
}

const display = (json: string) => `{"data":{"text/plain":"9007199254740993","application/json":${json}},"metadata":{},"transient":{}}`;

describe.each([
  ['directly', direct],
  ['through a server', throughServer],
])('a display that comes %s', (_, receive) => {
  const exactOf = (type: string, json: string) =>
    dataContent('display_data', receive(type, display(json)).content).exact?.['application/json'];

  it.each([
    ['in a list', '[9007199254740993]'],
    ['in an object', '{"id":9007199254740993}'],
    ['below zero', '{"ns":[-12345678901234567890,1]}'],
    ['beside text that looks like one', '{"text":"9007199254740993, \\"9007199254740993\\"","id":9007199254740993}'],
  ])('keeps all digits %s', (_name, json) => {
    expect(exactOf('display_data', json)).toBe(json);
    expect(exactOf('update_display_data', json)).toBe(json);
  });

  it.each([
    ['small numbers', '{"id":12}'],
    ['large numbers that are exact', '[9007199254740992,1700000000000000]'],
    ['fractions', '[0.1234567890123456,1e300,1.7976931348623157e308]'],
    ['text alone', '{"text":"9007199254740993, 9007199254740993"}'],
    ['a text that holds the mark', '["\\u00919007199254740993",9007199254740993]'],
    ['Python’s own numbers', '[NaN,9007199254740993]'],
  ])('has nothing more to say of %s', (_name, json) => {
    expect(exactOf('display_data', json)).toBeUndefined();
  });

  it('has the values that it always had', () => {
    const { data } = dataContent('display_data', receive('display_data', display('[9007199254740993]')).content);
    expect(data).toEqual({ 'text/plain': '9007199254740993', 'application/json': [9007199254740992] });
  });
});

it('an agent reads the digits as text', () => {
  const { data } = direct('display_data', display('{"id":9007199254740993,"n":1}')).content as { data: Record<string, unknown> };
  expect(displayContent(data).json).toEqual([{ id: '9007199254740993', n: 1 }]);
  const exact = { 'application/json': '{"id":9007199254740993}' };
  const output = { type: 'display_data' as const, data: { 'application/json': { id: 1 } }, metadata: {}, executionCount: null, exact };
  expect(outputsText([output], String).json).toEqual([{ id: '9007199254740993' }]);
});

it('JSON too large to travel lies in its artifact with all digits', () => {
  const json = `[${Array.from({ length: PAYLOAD_LIMIT / 16 }, () => '9007199254740993').join(',')}]`;
  const payload = (direct('display_data', display(json)).content.data as Record<string, unknown>)['application/json'];
  expect(encodeLarge('application/json', payload)?.bytes.toString()).toBe(json);
});

it('JSON with long texts is read too', () => {
  const json = `{"plain":"${'x'.repeat(5_000_000)}","escapes":"${'\\n\\"'.repeat(1_000_000)}","id":9007199254740993}`;
  expect((parseExact(json) as { id: unknown }).id).toBe(9007199254740993n);
});

it('any JSON with any whole numbers comes back as it was written', () => {
  // JSON whose texts hold the mark is left as it is, which has its own test.
  const text = fc.string({ unit: 'binary' }).filter((characters) => !characters.includes('\u0091'));
  const leaf = fc.oneof(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), text, fc.boolean(), fc.constant(null));
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any')), fc.dictionary(fc.string().filter(isPlainKey), tie('any'))),
  })).any;
  fc.assert(
    fc.property(value, (written) => {
      const text = jsonOf(written);
      expect(jsonOf(parseExact(text))).toBe(text);
      const marked = markLarge(text);
      if (marked !== null) expect(exactJsonOf(JSON.parse(marked))).toBe(text);
    }),
  );
});

/** Keys that look like indices are moved to the front, and this one names no member. */
function isPlainKey(key: string): boolean {
  return key !== '__proto__' && !/^\d+$/.test(key);
}

function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${jsonOf(item)}`)
    .join(',')}}`;
}
