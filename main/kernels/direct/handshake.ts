/**
 * The start-up race: a kernel answers requests before our iopub subscription has reached it, and what it publishes in between is lost.
 * Two phases: first iopub is up, then kernel_info_request is repeated until both a reply and an iopub message for it have come.
 */
import { ConnectionClosedError, KernelTimeoutError } from '../errors.ts';
import type { InfoReply, JupyterMessage, OutgoingMessage } from '../messages.ts';

/** Between the first two requests; doubled up to the limit, because a slow kernel answers every one of them. */
const FIRST_REPEAT_MS = 200;
const MAX_REPEAT_MS = 2_000;

/** A known kernel that does not answer on control within this is taken as busy: its iopub is up, which is what matters. */
const BUSY_AFTER_MS = 2_000;

export interface HandshakeState {
  readonly info: InfoReply | null;
  readonly published: boolean;
}

export const handshakeStart: HandshakeState = { info: null, published: false };

/** What one message adds. Any iopub message proves the subscription; only a good kernel_info_reply is the reply. */
export function handshakeStep(state: HandshakeState, message: JupyterMessage): HandshakeState {
  if (message.channel === 'iopub') return state.published ? state : { ...state, published: true };
  if (message.header.msg_type !== 'kernel_info_reply' || message.content.status === 'error') return state;
  return { ...state, info: message.content as unknown as InfoReply };
}

export interface HandshakeLink {
  readonly iopubUp: Promise<void>;
  send(message: OutgoingMessage): Promise<string>;
  onMessage(listener: (message: JupyterMessage) => void): () => void;
}

export interface HandshakeOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** From an earlier connection: asks on control, and does not insist on an answer of a kernel that may be busy. */
  knownInfo: InfoReply | null;
}

/** Resolves with the kernel's info once both directions work. Throws KernelTimeoutError; ConnectionClosedError when aborted. */
export function performHandshake(link: HandshakeLink, options: HandshakeOptions): Promise<InfoReply> {
  const { timeoutMs, signal, knownInfo } = options;
  return new Promise<InfoReply>((resolve, reject) => {
    let state = handshakeStart;
    let iopubUp = false;
    let ended = false;
    let repeat: NodeJS.Timeout | undefined;
    let busy: NodeJS.Timeout | undefined;
    const end = (settle: () => void): void => {
      ended = true;
      clearTimeout(repeat);
      clearTimeout(busy);
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
      stopListening();
      settle();
    };
    const abort = (): void => end(() => reject(new ConnectionClosedError('The connection was closed before the kernel was ready.')));
    const limit = setTimeout(() => end(() => reject(new KernelTimeoutError(silence(iopubUp, state, timeoutMs)))), timeoutMs);
    const stopListening = link.onMessage((message) => {
      state = handshakeStep(state, message);
      const { info, published } = state;
      if (info && published) end(() => resolve(info));
    });
    const ask = (waitMs: number): void => {
      const channel = knownInfo ? 'control' : 'shell';
      link.send({ channel, type: 'kernel_info_request', content: {} }).catch((error) => end(() => reject(error)));
      repeat = setTimeout(() => ask(Math.min(waitMs * 2, MAX_REPEAT_MS)), waitMs);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    void link.iopubUp.then(() => {
      iopubUp = true;
      if (ended) return;
      if (knownInfo) busy = setTimeout(() => end(() => resolve(knownInfo)), BUSY_AFTER_MS);
      ask(FIRST_REPEAT_MS);
    });
  });
}

function silence(iopubUp: boolean, { info, published }: HandshakeState, timeoutMs: number): string {
  const seconds = Math.round(timeoutMs / 1000);
  if (!iopubUp) return `The kernel did not open its ports within ${seconds} seconds.`;
  if (!info) return `The kernel opened its ports but did not answer within ${seconds} seconds.`;
  if (!published) return `The kernel answered but published nothing within ${seconds} seconds.`;
  return `The kernel was not ready within ${seconds} seconds.`;
}
