/**
 * Frames of the websocket in all three forms: what is written is read again, whatever is cut off or bent is a WireError and nothing else.
 */
import { ServerConnection } from '@jupyterlab/services';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireError } from '../../../main/kernels/direct/wire.ts';
import { decodeFrame, encodable, PROTOCOL_V1 } from '../../../main/kernels/gateway/websocket-frames.ts';
import type { OutgoingMessage } from '../../../main/kernels/messages.ts';

const { serializer } = ServerConnection.makeSettings();
const OLD = '';

function through(message: OutgoingMessage, protocol: string): ReturnType<typeof decodeFrame> {
  return decodeFrame(serializer.serialize(encodable(message, 'an-id', 'a-session'), protocol), protocol);
}

function request(change: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { channel: 'shell', type: 'execute_request', content: { code: 'π = "☃"' }, ...change };
}

const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ noUnicodeString: false } as fc.JsonSharedConstraints), {
  maxKeys: 4,
});
const bytes = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 });

describe.each([
  ['the subprotocol', PROTOCOL_V1],
  ['the older forms', OLD],
])('%s', (_name, protocol) => {
  it('carries a message as it is', () => {
    const message = through(request({ metadata: { a: 1 }, parentHeader: { msg_id: 'parent' } }), protocol);
    expect(message).toMatchObject({
      channel: 'shell',
      header: { msg_id: 'an-id', msg_type: 'execute_request', session: 'a-session', username: 'cellwright', version: '5.3' },
      parent_header: { msg_id: 'parent' },
      metadata: { a: 1 },
      content: { code: 'π = "☃"' },
      buffers: [],
    });
  });

  it('carries any content and any buffers', () => {
    fc.assert(
      fc.property(json, bytes, fc.nat(7), (content, buffers, shift) => {
        // As they come from a pool: views into the middle of a larger memory.
        const views = buffers.map((buffer) => {
          const memory = new Uint8Array(buffer.length + shift + 3).fill(238);
          memory.set(buffer, shift);
          return memory.subarray(shift, shift + buffer.length);
        });
        const message = through(request({ content, buffers: views }), protocol);
        expect(message.content).toEqual(JSON.parse(JSON.stringify(content)));
        expect(message.buffers.map((buffer) => [...buffer])).toEqual(buffers.map((buffer) => [...buffer]));
      }),
    );
  });

  it('is never read half', () => {
    const whole = new Uint8Array(asBinary(serializer.serialize(encodable(request({ buffers: [new Uint8Array(5)] }), 'i', 's'), protocol)));
    for (let length = 0; length < whole.length; length += 1) {
      const cut = whole.slice(0, length).buffer;
      try {
        // Of the older form only the last buffer may be shorter than it was: its end is the frame's end.
        expect(decodeFrame(cut, protocol).content).toEqual({ code: 'π = "☃"' });
        expect(protocol).toBe(OLD);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
      }
    }
  });

  it('throws nothing but WireError, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string()), (data) => {
        try {
          decodeFrame(typeof data === 'string' ? data : new Uint8Array(data).buffer, protocol);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });
});

it.each([
  ['NaN', Number.NaN],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])('reads Python’s %s', (token, value) => {
  const text = `{"channel":"iopub","header":{"msg_id":"a","msg_type":"x"},"parent_header":null,"metadata":{},"content":{"n":${token}}}`;
  expect(decodeFrame(text, OLD)).toMatchObject({ content: { n: value }, parent_header: {} });
});

it.each([
  ['no channel', '{"header":{"msg_id":"a","msg_type":"x"}}'],
  ['a strange channel', '{"channel":"hb","header":{"msg_id":"a","msg_type":"x"}}'],
  ['no header', '{"channel":"iopub"}'],
  ['no msg_type', '{"channel":"iopub","header":{"msg_id":"a"}}'],
  ['a list', '[]'],
  ['no JSON', 'hello'],
])('refuses a message with %s', (_name, text) => {
  expect(() => decodeFrame(text, OLD)).toThrow(WireError);
});

function asBinary(data: string | ArrayBuffer): ArrayBuffer {
  return typeof data === 'string' ? new TextEncoder().encode(data).buffer : data;
}
