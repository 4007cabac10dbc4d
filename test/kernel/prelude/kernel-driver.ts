/**
 * A real kernel for the tests of the helpers: any Python with ipykernel, through jupyter_client. It writes one line for each it reads, so
 * answers belong to requests by their order.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Executed {
  status: string;
  /** Of the error, empty without one. */
  ename: string;
  evalue: string;
  executionCount: number;
  /** Status events in order. */
  events: Record<string, unknown>[];
  /** All displayed data but status events. */
  displays: Record<string, unknown>[];
  /** text/plain of the result. */
  result: string | null;
  stdout: string;
  stderr: string;
  /** Without colours. */
  traceback: string;
}

interface Message {
  type: string;
  content: Record<string, unknown>;
}

export class DrivenKernel {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: { resolve: (answer: Record<string, unknown>) => void; reject: (error: Error) => void }[] = [];
  #stderr = '';

  private constructor(python: string) {
    this.#child = spawn(python, [path.join(import.meta.dirname, 'kernel_driver.py')], { stdio: 'pipe' });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-8_000);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(JSON.parse(line)));
    this.#child.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`The driver ended: ${this.#stderr}`));
    });
  }

  static async start(python: string): Promise<DrivenKernel> {
    const kernel = new DrivenKernel(python);
    await kernel.#answer();
    return kernel;
  }

  async execute(code: string, options: { silent?: boolean; interruptWhen?: string } = {}): Promise<Executed> {
    const { reply, messages } = (await this.#ask({ action: 'execute', code, ...options })) as {
      reply: Record<string, unknown>;
      messages: Message[];
    };
    const data = messages.filter(({ type }) => type === 'display_data').map(({ content }) => content.data as Record<string, unknown>);
    const result = messages.find(({ type }) => type === 'execute_result')?.content.data as Record<string, string> | undefined;
    const stream = (name: string) =>
      messages
        .filter(({ type, content }) => type === 'stream' && content.name === name)
        .map(({ content }) => content.text)
        .join('');
    const traceback = (messages.find(({ type }) => type === 'error')?.content.traceback ?? []) as string[];
    return {
      status: String(reply.status),
      ename: String(reply.ename ?? ''),
      evalue: String(reply.evalue ?? ''),
      executionCount: Number(reply.execution_count),
      events: data.flatMap((each) => (STATUS in each ? [each[STATUS] as Record<string, unknown>] : [])),
      displays: data.filter((each) => !(STATUS in each)),
      result: result?.['text/plain'] ?? null,
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      traceback: traceback.join('\n').replace(/\x1b\[[\d;]*m/g, ''),
    };
  }

  complete(code: string): Promise<Record<string, unknown>> {
    return this.#ask({ action: 'complete', code });
  }

  inspect(code: string): Promise<Record<string, unknown>> {
    return this.#ask({ action: 'inspect', code });
  }

  /** Ends driver and kernel. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin.end();
    await closed;
  }

  #ask(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    return this.#answer();
  }

  #answer(): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

const STATUS = 'application/x-xcsh-status';
