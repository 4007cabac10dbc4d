import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type HandshakeState, handshakeStart, handshakeStep, performHandshake } from '../../../main/kernels/direct/handshake.ts';
import { ConnectionClosedError, KernelTimeoutError } from '../../../main/kernels/errors.ts';
import type { Channel, InfoReply, JupyterMessage, OutgoingMessage } from '../../../main/kernels/messages.ts';

const INFO = { status: 'ok', protocol_version: '5.3', implementation: 'test' } as unknown as InfoReply;

function message(channel: Channel, type: string, content: object = {}): JupyterMessage {
  const header = { msg_id: 'm', msg_type: type } as unknown as JupyterMessage['header'];
  return { channel, header, parent_header: {}, metadata: {}, content: content as Record<string, unknown>, buffers: [] };
}

const REPLY = message('shell', 'kernel_info_reply', INFO);
const STATUS = message('iopub', 'status', { execution_state: 'busy' });

const done = ({ info, published }: HandshakeState): boolean => info !== null && published;

test.each<[string, JupyterMessage[], boolean]>([
  ['nothing', [], false],
  ['only a reply', [REPLY, REPLY], false],
  ['only iopub', [STATUS, STATUS], false],
  ['reply, then iopub', [REPLY, STATUS], true],
  ['iopub, then reply', [STATUS, REPLY], true],
  ['the welcome of iopub counts', [message('iopub', 'iopub_welcome'), REPLY], true],
  ['a reply on control counts', [{ ...REPLY, channel: 'control' }, STATUS], true],
  ['another reply does not', [message('shell', 'history_reply'), STATUS], false],
  ['an error does not', [message('shell', 'kernel_info_reply', { status: 'error' }), STATUS], false],
  ['stdin does not', [message('stdin', 'input_request'), REPLY], false],
])('%s', (_name, messages, ready) => {
  expect(done(messages.reduce(handshakeStep, handshakeStart))).toBe(ready);
});

class Link {
  readonly sent: OutgoingMessage[] = [];
  up: () => void = () => {};
  readonly iopubUp = new Promise<void>((resolve) => {
    this.up = resolve;
  });
  #listener: (message: JupyterMessage) => void = () => {};
  listening = false;

  async send(outgoing: OutgoingMessage): Promise<string> {
    this.sent.push(outgoing);
    return 'id';
  }

  onMessage(listener: (message: JupyterMessage) => void): () => void {
    this.#listener = listener;
    this.listening = true;
    return () => {
      this.listening = false;
    };
  }

  receive(received: JupyterMessage): void {
    if (this.listening) this.#listener(received);
  }
}

function options(change: object = {}): { timeoutMs: number; signal: AbortSignal; knownInfo: InfoReply | null } {
  return { timeoutMs: 20_000, signal: new AbortController().signal, knownInfo: null, ...change };
}

test('asks only once iopub is up, and again until both have come', async () => {
  const link = new Link();
  const ready = performHandshake(link, options());
  await delay(50);
  expect(link.sent).toEqual([]);
  link.up();
  while (link.sent.length < 2) await delay(10);
  expect(link.sent[0]).toMatchObject({ channel: 'shell', type: 'kernel_info_request' });
  link.receive(REPLY);
  while (link.sent.length < 3) await delay(10);
  link.receive(STATUS);
  expect(await ready).toEqual(INFO);
  expect(link.listening).toBe(false);
  const asked = link.sent.length;
  await delay(500);
  expect(link.sent).toHaveLength(asked);
});

test.each([
  ['its ports', (_link: Link) => {}, 'did not open its ports'],
  ['an answer', (link: Link) => link.up(), 'did not answer'],
  ['a publication', (link: Link) => [link.up(), link.receive(REPLY)], 'published nothing'],
])('the time limit names what is missing: %s', async (_name, act, words) => {
  const link = new Link();
  const ready = performHandshake(link, options({ timeoutMs: 50 }));
  act(link);
  const error = await ready.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(KernelTimeoutError);
  expect((error as Error).message).toContain(words);
  // Late events of a handshake that is over start nothing.
  const asked = link.sent.length;
  link.up();
  await delay(300);
  expect(link.sent).toHaveLength(asked);
});

test('can be given up, before and while it runs', async () => {
  const abort = new AbortController();
  const ready = performHandshake(new Link(), options({ signal: abort.signal }));
  abort.abort();
  await expect(ready).rejects.toThrow(ConnectionClosedError);
  await expect(performHandshake(new Link(), options({ signal: abort.signal }))).rejects.toThrow(ConnectionClosedError);
});

test('a send that fails ends it', async () => {
  const link = new Link();
  link.send = () => Promise.reject(new Error('no socket'));
  const ready = performHandshake(link, options());
  link.up();
  await expect(ready).rejects.toThrow('no socket');
});

test('a kernel that is known is asked on control, and taken as busy when it is silent', async () => {
  const link = new Link();
  const ready = performHandshake(link, options({ knownInfo: INFO }));
  link.up();
  expect(await ready).toBe(INFO);
  expect(new Set(link.sent.map(({ channel }) => channel))).toEqual(new Set(['control']));
});
