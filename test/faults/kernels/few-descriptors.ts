/**
 * A process that starts kernels until it runs into its limit of descriptors, then shuts all but one down and starts another. Prints one JSON line.
 * Arguments: bundle of the kernel host, Python, an empty folder. The limit is set by whoever starts it.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { startRun } from '../../../main/execution/run-client.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import { pythonSpecOf } from '../../support/python-spec.ts';

/** More than any limit of the tests lets run. */
const MOST = 30;

async function works(kernel: Kernel): Promise<boolean> {
  const request = { areaId: 'a', code: 'open("/dev/null").close()', silent: false, storeHistory: false, allowStdin: false };
  const { status } = await startRun(kernel, { ...request, stopOnError: true, artifactFolder: null }).done;
  return status === 'ok';
}

async function main([hostEntry, python, folder]: string[]): Promise<void> {
  if (!hostEntry || !python || !folder) throw new Error('Too few arguments.');
  let hosts = 0;
  const spawnHost = (): HostProcess => {
    hosts += 1;
    return forkHost(hostEntry);
  };
  const manager = new KernelManager({ spawnHost, runtimeFolder: path.join(folder, 'runtime') });
  const spec = pythonSpecOf(python);
  const start = (): Promise<Kernel> => manager.start({ spec, cwd: folder });
  // What stays open for good is opened by the first kernel.
  const first = await start().catch((error: Error) => error.message);
  if (typeof first === 'string') {
    await manager.close();
    process.stdout.write(JSON.stringify({ started: 0, message: first, again: false, hosts, left: [], descriptors: 0 }));
    return;
  }
  await first.shutdown();
  const before = readdirSync('/proc/self/fd').length;
  const kernels: Kernel[] = [];
  let message = '';
  while (message === '' && kernels.length < MOST) {
    const kernel = await start().catch((error: Error) => {
      message = error.message;
      return null;
    });
    if (kernel) kernels.push(kernel);
  }
  // Those that ran before are untouched by it.
  const alive = await Promise.all(kernels.map(works));
  const started = kernels.length;
  for (const kernel of kernels.splice(1)) await kernel.shutdown();
  const more = started > 1 ? await start().then(works) : false;
  const again = more && alive.every((good) => good) && (await Promise.all(kernels.map(works))).every((good) => good);
  await manager.shutdownAll();
  const left = readdirSync(path.join(folder, 'runtime'));
  const descriptors = readdirSync('/proc/self/fd').length - before;
  await manager.close();
  process.stdout.write(`${JSON.stringify({ started, message, again, hosts, left, descriptors })}\n`);
}

void main(process.argv.slice(2));
