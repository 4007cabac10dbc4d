import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSigner, decodeMessage, encodeMessage, type Sender, WireError } from '../../../main/kernels/direct/wire.ts';
import type { OutgoingMessage } from '../../../main/kernels/messages.ts';

const signer = createSigner('a key', 'hmac-sha256');
const sender: Sender = { signer, session: 'session-1' };
const date = new Date('2026-01-02T03:04:05.678Z');

const request: OutgoingMessage = { channel: 'shell', type: 'execute_request', content: { code: 'x = "ü"' } };

function frames(message: OutgoingMessage = request): Buffer[] {
  return encodeMessage(message, 'id-1', sender, date).map((frame) => Buffer.from(frame));
}

function faultOf(received: readonly Uint8Array[], by = signer): string {
  try {
    decodeMessage('shell', received, by);
  } catch (error) {
    if (error instanceof WireError) return error.fault;
    throw error;
  }
  return 'none';
}

test('a message comes back as it was sent', () => {
  const message = decodeMessage('shell', frames(), signer);
  expect(message).toEqual({
    channel: 'shell',
    header: {
      msg_id: 'id-1',
      msg_type: 'execute_request',
      username: 'cellwright',
      session: 'session-1',
      date: '2026-01-02T03:04:05.678Z',
      version: '5.3',
    },
    parent_header: {},
    metadata: {},
    content: { code: 'x = "ü"' },
    buffers: [],
  });
});

/** JSON has no negative zero, and text on the wire no lone surrogates; everything else is the same. */
function onTheWire(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\ufffd');
  if (Array.isArray(value)) return value.map(onTheWire);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [onTheWire(key), onTheWire(item)]));
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

test('whatever JSON can carry, and buffers, survive the round trip', () => {
  const record = fc.dictionary(
    fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 5 },
  );
  fc.assert(
    fc.property(record, record, fc.array(fc.uint8Array()), fc.array(fc.uint8Array()), (content, metadata, buffers, identities) => {
      const encoded = encodeMessage({ channel: 'stdin', type: 'input_reply', content, metadata, buffers }, 'id', sender, date);
      const decoded = decodeMessage('stdin', [...identities, ...encoded], signer);
      expect(decoded.content).toEqual(onTheWire(content));
      expect(decoded.metadata).toEqual(onTheWire(metadata));
      expect(decoded.buffers.map((buffer) => [...buffer])).toEqual(buffers.map((buffer) => [...buffer]));
    }),
  );
});

test('any changed byte of the signed parts is noticed', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (part, at, change) => {
      const received = frames();
      // Behind the delimiter: signature and the four signed parts.
      const frame = received[1 + (part % 5)] as Buffer;
      frame[at % frame.length] = (frame[at % frame.length] as number) ^ change;
      expect(faultOf(received)).toBe('bad-signature');
    }),
  );
});

test('lone surrogates are replaced, also in keys; pairs and what looks like an escape stay', () => {
  const content = { code: 'a\ud800b \udc00 \u{1f600} \\ud800 \\\ud800', 'key \udfff': '\u0000"' };
  const decoded = decodeMessage('shell', frames({ ...request, content }), signer);
  expect(decoded.content).toEqual({ code: 'a\ufffdb \ufffd \u{1f600} \\ud800 \\\ufffd', 'key \ufffd': '\u0000"' });
});

test('bytes that are no UTF-8 inside a string are replaced, and the message lives', () => {
  const parts = [
    Buffer.from('{"msg_id":"1","msg_type":"stream"}'),
    Buffer.from('{}'),
    Buffer.from('{}'),
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
  ];
  const received = [Buffer.from('<IDS|MSG>'), Buffer.from(signer.sign(parts)), ...parts];
  expect(decodeMessage('iopub', received, signer).content).toEqual({ a: '\ufffd' });
});

describe('bad frames', () => {
  const parts = (...texts: string[]): Buffer[] => {
    const signed = texts.map((text) => Buffer.from(text));
    return [Buffer.from('<IDS|MSG>'), Buffer.from(signer.sign(signed)), ...signed];
  };
  const header = '{"msg_id":"1","msg_type":"stream"}';

  test.each<[string, Uint8Array[], string]>([
    ['none at all', [], 'no-delimiter'],
    ['no delimiter', [Buffer.from('topic'), Buffer.from('text')], 'no-delimiter'],
    ['only a delimiter', [Buffer.from('<IDS|MSG>')], 'too-few-frames'],
    ['a part missing', frames().slice(0, -1), 'too-few-frames'],
    ['no signature', [...frames().slice(0, 1), Buffer.alloc(0), ...frames().slice(2)], 'bad-signature'],
    ['a signature that is too long', [...frames().slice(0, 1), Buffer.alloc(65, 'a'), ...frames().slice(2)], 'bad-signature'],
    ['no JSON', parts(header, '{}', '{}', '{'), 'bad-json'],
    ['an array', parts(header, '{}', '{}', '[]'), 'bad-json'],
    ['null', parts(header, 'null', '{}', '{}'), 'bad-json'],
    ['a text', parts(header, '{}', '"a"', '{}'), 'bad-json'],
    ['an empty header', parts('{}', '{}', '{}', '{}'), 'bad-header'],
    ['a header with a number for an id', parts('{"msg_id":1,"msg_type":"stream"}', '{}', '{}', '{}'), 'bad-header'],
  ])('%s', (_name, received, fault) => {
    expect(faultOf(received)).toBe(fault);
  });

  test('another key', () => {
    expect(faultOf(frames(), createSigner('another key', 'hmac-sha256'))).toBe('bad-signature');
  });

  test('the signature is checked before anything is parsed', () => {
    const received = [
      Buffer.from('<IDS|MSG>'),
      Buffer.from('0'.repeat(64)),
      Buffer.from('{'),
      Buffer.from('{'),
      Buffer.from('{'),
      Buffer.from('{'),
    ];
    expect(faultOf(received)).toBe('bad-signature');
  });
});

test('an empty key means that nothing is signed', () => {
  const open = createSigner('', 'hmac-sha256');
  const encoded = encodeMessage(request, 'id', { signer: open, session: 's' }, date);
  expect(encoded[1]).toHaveLength(0);
  expect(decodeMessage('shell', encoded, open).content).toEqual(request.content);
});

test('other hashes of the scheme work, other schemes are refused', () => {
  const strong = createSigner('key', 'hmac-sha512');
  const encoded = encodeMessage(request, 'id', { signer: strong, session: 's' }, date);
  expect(decodeMessage('shell', encoded, strong).content).toEqual(request.content);
  expect(() => createSigner('key', 'plain')).toThrow('hmac-sha256');
  expect(() => createSigner('key', 'hmac-nonsense')).toThrow();
});

test('the signature is the one that Python’s Session makes', () => {
  // From jupyter_client: Session(key=b'a key').sign([b'{"a": 1}', b'{}', b'{}', b'{}'])
  const parts = ['{"a": 1}', '{}', '{}', '{}'].map((text) => Buffer.from(text));
  expect(signer.sign(parts)).toBe('ce349c23be29edf1a44f0c3f5a358e32b3582d167e538a2c131ab35d120d54e4');
});
