/**
 * What a person asks of the kernel of one notebook. Main does the work and tells of it by events; an answer only matters when it is a
 * failure, which is reported in the person's words.
 */
import type { Bridge, CallArgs, CallName, CallResult, Failure, KernelChoice } from '../../preload/contract.ts';
import type { KernelHelp } from '../cells/editor/kernel-providers.ts';
import type { NotebookClient } from './notebook-client.ts';

export class NotebookKernel {
  readonly #bridge: Bridge;
  readonly #client: NotebookClient;
  readonly #report: (failure: Failure) => void;
  /** Completion and hover for the editors of this notebook. */
  readonly help: KernelHelp;

  constructor(bridge: Bridge, client: NotebookClient, report: (failure: Failure) => void) {
    this.#bridge = bridge;
    this.#client = client;
    this.#report = report;
    const { docId } = client;
    this.help = {
      ready: () => client.kernel.state === 'idle',
      complete: async (code, cursor) => {
        const answer = await bridge.call('kernel.complete', { docId, code, cursor });
        return answer.ok ? answer.value : null;
      },
      inspect: async (code, cursor) => {
        const answer = await bridge.call('kernel.inspect', { docId, code, cursor });
        return answer.ok ? answer.value.text : null;
      },
    };
  }

  async #ask<N extends CallName>(name: N, args: CallArgs<N>): Promise<{ value: CallResult<N> } | null> {
    const result = await this.#bridge.call(name, args);
    if (result.ok) return { value: result.value };
    this.#report(result.error);
    return null;
  }

  /** Runs the code cells among `keys`, in the order given. */
  run(keys: readonly string[]): void {
    const code = this.#codeOf(keys);
    if (code.length > 0) void this.#ask('run.cells', { docId: this.#client.docId, keys: code });
  }

  #codeOf(keys: readonly string[]): string[] {
    return keys.filter((key) => this.#client.kind(key)?.type === 'code');
  }

  provideInput(key: string, value: string): void {
    void this.#ask('run.input', { docId: this.#client.docId, key, value });
  }

  async trust(): Promise<void> {
    const answer = await this.#ask('doc.trust', { docId: this.#client.docId });
    if (answer) this.#client.setDocument(answer.value);
  }

  interrupt(): void {
    void this.#ask('run.interrupt', { docId: this.#client.docId });
  }

  /** Says whether it worked. The question before it is the caller's. */
  async restart(): Promise<boolean> {
    return (await this.#ask('kernel.restart', { docId: this.#client.docId })) !== null;
  }

  async start(): Promise<boolean> {
    return (await this.#ask('kernel.start', { docId: this.#client.docId })) !== null;
  }

  async shutdown(): Promise<boolean> {
    return (await this.#ask('kernel.shutdown', { docId: this.#client.docId })) !== null;
  }

  async choose(name: string): Promise<boolean> {
    return (await this.#ask('kernel.select', { docId: this.#client.docId, name })) !== null;
  }

  async choices(): Promise<KernelChoice[]> {
    return (await this.#ask('kernel.choices', { docId: this.#client.docId }))?.value ?? [];
  }
}
