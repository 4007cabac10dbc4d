/**
 * The REST side of a Jupyter server: its kernelspecs and kernels. Own calls and not the ones of @jupyterlab/services, which lose the reason
 * of a failure, have no time limit and print to the console. What the server says is checked before it is believed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { KernelSpec } from '../kernel.ts';
import { GatewayError, notJupyter, statusError } from './gateway-errors.ts';
import type { GatewayServer } from './gateway-server.ts';
import { type HttpAnswer, type HttpRequest, httpRequest } from './http-request.ts';

/** For what a server answers at once. */
const QUICK_LIMIT_MS = 10_000;

/** Before the one retry; a server that is overloaded gets a moment. */
const RETRY_PAUSE_MS = 500;

/** A kernel as the server tells of it. */
export interface RemoteKernel {
  id: string;
  /** Name of its kernelspec. */
  name: string;
  /** `starting`, `idle`, `busy`, `restarting`, `dead`; servers may have others. */
  state: string;
  /** ISO time, null when the server does not say. */
  lastActivity: string | null;
  /** Clients that are connected to it, null when the server does not say. */
  connections: number | null;
}

const kernelSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  execution_state: z.string().catch('unknown'),
  last_activity: z.string().nullable().catch(null),
  connections: z.number().nullable().catch(null),
});

const specSchema = z.object({
  argv: z.array(z.string()).catch([]),
  display_name: z.string().optional(),
  language: z.string().catch(''),
  interrupt_mode: z.enum(['signal', 'message']).catch('signal'),
  env: z.record(z.string(), z.string()).catch({}),
});

const specsSchema = z.object({ default: z.string().catch(''), kernelspecs: z.record(z.string(), z.object({ spec: specSchema })) });

export interface StartRequest {
  name: string;
  /** Folder below the server's root, with slashes; the server's own choice when it is not given. */
  path?: string;
  /** Only Kernel Gateway and Enterprise Gateway take it, and only the names they allow. */
  env?: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
}

export class GatewayApi {
  readonly server: GatewayServer;

  constructor(server: GatewayServer) {
    this.server = server;
  }

  /** Its version. Throws GatewayError when there is no Jupyter server, or none that answers. Asks for no token. */
  async version(timeoutMs = QUICK_LIMIT_MS): Promise<string> {
    const answer = await this.#ask({ method: 'GET', path: 'api', timeoutMs }, 'tell its version');
    return this.#read(answer, z.object({ version: z.string() })).version;
  }

  /** The server's kernelspecs; its default one comes first. */
  async kernelspecs(signal?: AbortSignal): Promise<KernelSpec[]> {
    const request = { method: 'GET', path: 'api/kernelspecs', timeoutMs: QUICK_LIMIT_MS, signal } as const;
    const { kernelspecs, default: first } = this.#read(await this.#ask(request, 'list its kernelspecs'), specsSchema);
    const names = Object.keys(kernelspecs).sort((a, b) => Number(b === first) - Number(a === first));
    return names.flatMap((name) => {
      const spec = kernelspecs[name]?.spec;
      return spec ? [kernelspec(name, spec)] : [];
    });
  }

  /** The kernels that run there. A 5xx answer is asked again once: Jupyter Server fails to list one that is just being started. */
  async kernels(): Promise<RemoteKernel[]> {
    const request = { method: 'GET', path: 'api/kernels', timeoutMs: QUICK_LIMIT_MS } as const;
    const answer = await this.#twice(() => this.#send(request));
    // Kernel Gateway has this list switched off by itself, and says so with the status that a wrong token has elsewhere.
    if (answer.status === 403 && (await this.#letsUsIn())) {
      const hint = 'Start it with KG_LIST_KERNELS=True, or attach by the kernel’s id.';
      throw new GatewayError('refused', `The server at ${this.server.url} does not tell which kernels run.`, hint, { status: 403 });
    }
    return this.#read(this.#good(answer, 'list its kernels'), z.array(kernelSchema)).map(remoteKernel);
  }

  /** One kernel, or null when the server has none with this id: it was shut down or culled, or the server itself was restarted. */
  async kernel(id: string, signal?: AbortSignal): Promise<RemoteKernel | null> {
    // Asked again and again: a server that ends when nobody uses it must not take this for use.
    const path = `${kernelPath(id)}?no_track_activity=1`;
    const answer = await this.#send({ method: 'GET', path, timeoutMs: QUICK_LIMIT_MS, signal });
    if (isGone(answer)) return null;
    return remoteKernel(this.#read(this.#good(answer, 'tell of the kernel'), kernelSchema));
  }

  /** Starts a kernel. A 5xx answer is tried once more, a 4xx never. Throws GatewayError, or the signal's reason. */
  async start({ name, path, env, timeoutMs, signal }: StartRequest): Promise<RemoteKernel> {
    const body = { name, ...(path === undefined ? {} : { path }), ...(env && Object.keys(env).length > 0 ? { env } : {}) };
    const request = { method: 'POST', path: 'api/kernels', body, timeoutMs, signal } as const;
    const answer = await this.#twice(() => this.#bringUp(request), signal);
    if (answer.status >= 400) await this.#mustHaveSpec(name, signal);
    return remoteKernel(this.#read(this.#good(answer, `start the kernel “${name}”`), kernelSchema));
  }

  /** Interrupts what runs. Throws GatewayError. */
  async interrupt(id: string, timeoutMs = QUICK_LIMIT_MS): Promise<void> {
    await this.#ask({ method: 'POST', path: `${kernelPath(id)}/interrupt`, body: {}, timeoutMs }, 'interrupt the kernel');
  }

  /** Restarts it; resolves when it runs again. Throws GatewayError, with fault `not-found` when there is no such kernel any more. */
  async restart(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const answer = await this.#bringUp({ method: 'POST', path: `${kernelPath(id)}/restart`, body: {}, timeoutMs, signal });
    this.#good(answer, 'restart the kernel');
  }

  /** Ends it. One that is gone already is fine. Throws GatewayError. */
  async shutdown(id: string, timeoutMs = QUICK_LIMIT_MS): Promise<void> {
    const answer = await this.#send({ method: 'DELETE', path: kernelPath(id), timeoutMs });
    if (!isGone(answer)) this.#good(answer, 'shut the kernel down');
  }

  /** Once more after a 5xx answer. */
  async #twice(ask: () => Promise<HttpAnswer>, signal?: AbortSignal): Promise<HttpAnswer> {
    const answer = await ask();
    if (answer.status < 500) return answer;
    await delay(RETRY_PAUSE_MS, undefined, { signal });
    return ask();
  }

  async #mustHaveSpec(name: string, signal: AbortSignal | undefined): Promise<void> {
    const names = (await this.kernelspecs(signal).catch(() => [])).map((spec) => spec.name);
    if (names.length === 0 || names.includes(name)) return;
    const message = `The server at ${this.server.url} has no kernel “${name}”.`;
    throw new GatewayError('not-found', message, `Choose one of its own: ${names.join(', ')}.`);
  }

  async #letsUsIn(): Promise<boolean> {
    return this.kernelspecs().then(
      () => true,
      () => false,
    );
  }

  /** Answered when the kernel runs: a server that is late here is usually fine, and the kernel is not. */
  async #bringUp(request: HttpRequest): Promise<HttpAnswer> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.fault !== 'timeout') throw error;
      const what = `The server at ${this.server.url} did not get the kernel up within ${Math.round(request.timeoutMs / 1000)} seconds.`;
      throw new GatewayError('timeout', what, 'The server’s own log may say why; try again, or choose another kernel.', { cause: error });
    }
  }

  async #ask(request: HttpRequest, what: string): Promise<HttpAnswer> {
    return this.#good(await this.#send(request), what);
  }

  #send(request: HttpRequest): Promise<HttpAnswer> {
    return httpRequest(this.server, request);
  }

  #good(answer: HttpAnswer, what: string): HttpAnswer {
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw statusError(this.server.url, what, answer, this.server.token !== undefined);
  }

  #read<T>({ text, status }: HttpAnswer, schema: z.ZodType<T>): T {
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      throw notJupyter(this.server.url, 'what answers there is another program', cause, status);
    }
  }
}

/** A Jupyter server says it in JSON. A page with 404 comes from something in between, and says nothing about the kernel. */
function isGone({ status, text }: HttpAnswer): boolean {
  return status === 404 && text.trimStart().startsWith('{');
}

function kernelPath(id: string): string {
  return `api/kernels/${encodeURIComponent(id)}`;
}

function remoteKernel({ id, name, execution_state, last_activity, connections }: z.infer<typeof kernelSchema>): RemoteKernel {
  return { id, name, state: execution_state, lastActivity: last_activity, connections };
}

function kernelspec(name: string, spec: z.infer<typeof specSchema>): KernelSpec {
  return {
    name,
    displayName: spec.display_name ?? name,
    language: spec.language,
    argv: spec.argv,
    env: spec.env,
    interruptMode: spec.interrupt_mode,
    resourceDir: null,
    source: 'kernelspec',
  };
}
