/**
 * Python's `jupyter_client`, measured by its own clock in a process of its own: one command at a time, so that it can take turns with others. What the
 * commands are is in the script.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface JupyterClient {
  /** Milliseconds from the kernel's start to its first result; it is stopped again. */
  start(): Promise<number>;
  /** A kernel for what follows. */
  open(): Promise<void>;
  /** Milliseconds of each round trip of `pass`. */
  trips(count: number): Promise<number[]>;
  flood(lines: number): Promise<{ ms: number; lost: number }>;
  close(): Promise<void>;
}

export function startJupyterClient(python: string, script: string): JupyterClient {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (command: string): Promise<unknown> => {
    child.stdin.write(`${command}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`jupyter_client ended at “${command}”.`);
    return JSON.parse(value);
  };
  return {
    start: async () => (await ask('start')) as number,
    open: async () => void (await ask('open')),
    trips: async (count) => (await ask(`trips ${count}`)) as number[],
    flood: async (count) => {
      const [ms, lost] = (await ask(`flood ${count}`)) as [number, number];
      return { ms, lost };
    },
    close: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
