/**
 * A process that starts a kernel, runs something in it and shuts it down, again and again, and counts what stays open here and in the kernel host.
 * Prints one JSON line. Arguments: bundle of the kernel host, Python, an empty folder, how often. The limit is set by whoever starts it.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRun } from '../../../main/execution/run-client.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';

/** For descriptors that close behind what closed them. */
const SETTLE_MS = 3_000;

function open(pid: number | 'self'): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function main([hostEntry, python, folder, times]: string[]): Promise<void> {
  if (!hostEntry || !python || !folder) throw new Error('Too few arguments.');
  const hosts: HostProcess[] = [];
  const spawnHost = (): HostProcess => {
    const host = forkHost(hostEntry);
    hosts.push(host);
    return host;
  };
  const manager = new KernelManager({ spawnHost, runtimeFolder: path.join(folder, 'runtime') });
  const once = async (): Promise<void> => {
    const kernel = await manager.start({
      spec: pythonSpecOf(python),
      cwd: folder,
    });
    const request = { areaId: 'a', code: 'print(1)', silent: false, storeHistory: false, allowStdin: false };
    const { status } = await startRun(kernel, { ...request, stopOnError: true, artifactFolder: null }).done;
    if (status !== 'ok') throw new Error(`The run ended ${status}.`);
    await kernel.shutdown();
  };
  // What stays open for good is opened by the first ones: libuv's threads, libzmq's pipes.
  await once();
  await once();
  const count = () => ({ here: open('self'), host: open(hosts[0]!.pid!) });
  const base = count();
  let started = 0;
  let failure: string | null = null;
  while (started < Number(times) && failure === null) {
    await once().then(
      () => {
        started += 1;
      },
      (error: Error) => {
        failure = error.message;
      },
    );
  }
  const more = () => ({ here: count().here - base.here, host: count().host - base.host });
  for (const end = Date.now() + SETTLE_MS; Date.now() < end && (more().here > 0 || more().host > 0); ) await delay(50);
  const left = { ...more(), files: readdirSync(path.join(folder, 'runtime')) };
  await manager.close();
  process.stdout.write(`${JSON.stringify({ started, failure, hosts: hosts.length, left })}\n`);
}

void main(process.argv.slice(2));
