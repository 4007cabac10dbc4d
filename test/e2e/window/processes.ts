/** Processes around an app under test: what still runs, and what of it belongs to a place of the tests. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A zombie has ended: who has to reap it may be slower than we look. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

/** What the shared gateway says of itself; null when there is none. */
export async function gatewayState(runtime: string): Promise<{ pid: number; token: string } | null> {
  return JSON.parse(await readFile(path.join(runtime, 'cellwright-gateway', 'gateway.json'), 'utf8').catch(() => 'null'));
}

/** Processes of kernels, hosts and gateways whose environment names one of these folders. Linux alone; elsewhere none. */
export async function kernelPids(roots: readonly string[]): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return roots.some((root) => environment.includes(root)) && pid !== process.pid && isRunning(pid) ? [pid] : [];
    }),
  );
  return found.flat();
}
