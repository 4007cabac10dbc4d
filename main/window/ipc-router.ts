/**
 * Calls and posts of a page on their way to their handlers: name, arguments and outcome are checked here, once. The hard rule: whatever a
 * page sends and whatever a handler throws, the answer is a `Result`, and neither an exception nor a stack crosses. Knows no Electron.
 */
import * as z from 'zod';
import {
  type CallArgs,
  type CallName,
  type CallResult,
  callSchemas,
  type Failure,
  type PostName,
  type Posts,
  postSchemas,
  type Result,
} from '../../preload/contract.ts';
import { errorFields, type Log } from '../log/log.ts';
import { toFailure } from './failure.ts';

export type CallHandlers<Context> = {
  [N in CallName]: (context: Context, args: CallArgs<N>) => CallResult<N> | Promise<CallResult<N>>;
};

export type PostHandlers<Context> = {
  [N in PostName]: (context: Context, payload: Posts[N]) => void;
};

export class IpcRouter<Context> {
  readonly #calls: CallHandlers<Context>;
  readonly #posts: PostHandlers<Context>;
  readonly #log: Log;

  constructor(calls: CallHandlers<Context>, posts: PostHandlers<Context>, log: Log) {
    this.#calls = calls;
    this.#posts = posts;
    this.#log = log;
  }

  /** `context` is null for a sender that is not one of our pages. Never rejects. */
  async call(context: Context | null, name: unknown, args: unknown): Promise<Result<unknown>> {
    if (context === null) return this.#refuse('ipc.foreign-sender', name, 'forbidden', 'This page may not use Cellwright.');
    if (!isName(callSchemas, name)) return this.#refuse('ipc.unknown-call', name, 'bad-call', 'There is no such call.');
    const checked = callSchemas[name].safeParse(args);
    if (!checked.success) {
      return this.#refuse('ipc.bad-arguments', name, 'bad-call', `The arguments of ${name} do not fit.`, z.prettifyError(checked.error));
    }
    try {
      const handler = this.#calls[name] as (context: Context, args: unknown) => unknown;
      return { ok: true, value: await handler(context, checked.data) };
    } catch (error) {
      const { failure, unexpected } = toFailure(error);
      if (unexpected) this.#log.error('ipc.failed', { call: name, ...errorFields(error) });
      else this.#log.info('ipc.refused', { call: name, code: failure.code });
      return { ok: false, error: failure };
    }
  }

  /** A post has no answer: what is wrong with it is in the log. Never throws. */
  post(context: Context | null, name: unknown, payload: unknown): void {
    if (context === null) return void this.#refuse('ipc.foreign-sender', name, 'forbidden', '');
    if (!isName(postSchemas, name)) return void this.#refuse('ipc.unknown-post', name, 'bad-call', '');
    const checked = postSchemas[name].safeParse(payload);
    if (!checked.success) return void this.#refuse('ipc.bad-arguments', name, 'bad-call', '');
    try {
      const handler = this.#posts[name] as (context: Context, payload: unknown) => void;
      handler(context, checked.data);
    } catch (error) {
      this.#log.error('ipc.failed', { post: name, ...errorFields(error) });
    }
  }

  #refuse(event: string, name: unknown, code: string, message: string, detail?: string): { ok: false; error: Failure } {
    this.#log.warn(event, { name: typeof name === 'string' ? name : typeof name });
    return { ok: false, error: { message, hint: 'Reload the window.', code, ...(detail ? { detail } : {}) } };
  }
}

/** Own keys only: `constructor` or `__proto__` is no call. */
function isName<Table extends object>(table: Table, name: unknown): name is keyof Table {
  return typeof name === 'string' && Object.hasOwn(table, name);
}
