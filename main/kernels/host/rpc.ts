/**
 * Calls and events between main and the kernel host, over whatever carries structured-clone messages (a utilityProcess port or a forked
 * process). One endpoint on each side. Order is kept: an event emitted before a reply arrives before it. What one turn of the event loop has to say
 * goes out as one message, since each wakes the other process. When that is gone every open call fails with HostGoneError, so nothing waits for it.
 */

/** The carrier under an endpoint: a utilityProcess, a `process.parentPort`, a forked child or a test's MessageChannel. */
export interface RpcCarrier {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: (reason: string) => void): void;
}

export class HostGoneError extends Error {
  override name = 'HostGoneError';
}

/** An error thrown by the other side; `kind` is the name of the original error class there. */
export class RemoteError extends Error {
  override name = 'RemoteError';
  readonly kind: string;
  readonly code: string | undefined;
  constructor(message: string, kind: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

type Frame =
  | { t: 'call'; id: number; method: string; params: unknown }
  | { t: 'ok'; id: number; value: unknown }
  | { t: 'fail'; id: number; message: string; kind: string; code: string | undefined }
  | { t: 'event'; name: string; payload: unknown };

type Handler = (params: never) => unknown;
type Listener = (payload: never) => void;

export class RpcEndpoint {
  readonly #carrier: RpcCarrier;
  readonly #handlers = new Map<string, Handler>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #goneListeners = new Set<(reason: string) => void>();
  readonly #open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  /** Said in this turn of the event loop. */
  #outbox: Frame[] = [];
  #nextId = 1;
  #gone: string | null = null;

  constructor(carrier: RpcCarrier) {
    this.#carrier = carrier;
    carrier.onMessage((message) => {
      for (const frame of message as Frame[]) this.#receive(frame);
    });
    carrier.onClose((reason) => this.#close(reason));
  }

  /** Why the other side is gone, or null while it lives. */
  get gone(): string | null {
    return this.#gone;
  }

  /** Called once when the other side is gone, after every open call has failed; at once when it is gone already. */
  onGone(listener: (reason: string) => void): () => void {
    if (this.#gone !== null) listener(this.#gone);
    else this.#goneListeners.add(listener);
    return () => this.#goneListeners.delete(listener);
  }

  handle<P>(method: string, handler: (params: P) => unknown): void {
    if (this.#handlers.has(method)) throw new Error(`There is a handler for ${method} already.`);
    this.#handlers.set(method, handler as Handler);
  }

  on<P>(event: string, listener: (payload: P) => void): () => void {
    let set = this.#listeners.get(event);
    if (!set) {
      set = new Set();
      this.#listeners.set(event, set);
    }
    set.add(listener as Listener);
    return () => set.delete(listener as Listener);
  }

  emit(event: string, payload: unknown): void {
    this.#post({ t: 'event', name: event, payload });
  }

  call<T>(method: string, params: unknown): Promise<T> {
    if (this.#gone !== null) return Promise.reject(new HostGoneError(`The kernel host is gone: ${this.#gone}`));
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#post({ t: 'call', id, method, params });
    });
  }

  /** Sends what was said in this turn at once: for a process that is about to end. */
  flush(): void {
    const frames = this.#outbox;
    this.#outbox = [];
    if (frames.length === 0 || this.#gone !== null) return;
    try {
      this.#carrier.post(frames);
    } catch {
      // Something in one of them can't be cloned: the others must go out all the same.
      for (const frame of frames) this.#postAlone(frame);
    }
  }

  #post(frame: Frame): void {
    if (this.#gone !== null) return;
    if (this.#outbox.push(frame) === 1) process.nextTick(() => this.flush());
  }

  #postAlone(frame: Frame): void {
    try {
      this.#carrier.post([frame]);
    } catch (cause) {
      switch (frame.t) {
        case 'call':
          this.#open.get(frame.id)?.reject(errorOf(cause));
          this.#open.delete(frame.id);
          return;
        case 'ok':
        case 'fail':
          // The caller must get an answer.
          this.#carrier.post([failure(frame.id, errorOf(cause))]);
          return;
        case 'event':
          throw cause;
      }
    }
  }

  #receive(frame: Frame): void {
    switch (frame.t) {
      case 'call':
        void this.#answer(frame.id, frame.method, frame.params);
        return;
      case 'event':
        for (const listener of [...(this.#listeners.get(frame.name) ?? [])]) listener(frame.payload as never);
        return;
      case 'ok':
        this.#open.get(frame.id)?.resolve(frame.value as never);
        this.#open.delete(frame.id);
        return;
      case 'fail':
        this.#open.get(frame.id)?.reject(new RemoteError(frame.message, frame.kind, frame.code));
        this.#open.delete(frame.id);
        return;
    }
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    try {
      const handler = this.#handlers.get(method);
      if (!handler) throw new Error(`Nobody answers ${method}.`);
      const value = await handler(params as never);
      this.#post({ t: 'ok', id, value });
    } catch (cause) {
      this.#post(failure(id, errorOf(cause)));
    }
  }

  #close(reason: string): void {
    if (this.#gone !== null) return;
    this.#gone = reason;
    this.#outbox = [];
    for (const call of this.#open.values()) call.reject(new HostGoneError(`The kernel host is gone: ${reason}`));
    this.#open.clear();
    for (const listener of [...this.#goneListeners]) listener(reason);
    this.#goneListeners.clear();
  }
}

function failure(id: number, error: Error): Frame {
  return { t: 'fail', id, message: error.message, kind: error.name, code: (error as NodeJS.ErrnoException).code };
}

function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
