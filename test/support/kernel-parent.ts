/**
 * A process that owns kernels, to be killed by a test. Prints one JSON line when they run: their pids and the pid of the kernel host.
 * Arguments: bundle of the kernel host, Python, runtime folder, code to run in each kernel.
 */
import { forkHost } from '../../main/kernels/host/fork-host.ts';
import type { HostProcess } from '../../main/kernels/host/host-process.ts';
import { KernelManager } from '../../main/kernels/kernel-manager.ts';
import { pythonSpecOf } from './python-spec.ts';

const KERNELS = 2;

async function main([hostEntry, python, runtimeFolder, code]: string[]): Promise<void> {
  if (!hostEntry || !python || !runtimeFolder) throw new Error('Too few arguments.');
  const hosts: HostProcess[] = [];
  const spawnHost = (): HostProcess => {
    const host = forkHost(hostEntry);
    hosts.push(host);
    return host;
  };
  const manager = new KernelManager({ spawnHost, runtimeFolder });
  const spec = pythonSpecOf(python);
  const kernels = await Promise.all(Array.from({ length: KERNELS }, () => manager.start({ spec, cwd: runtimeFolder })));
  if (code) {
    const content = { code, silent: false, store_history: false, user_expressions: {}, allow_stdin: false, stop_on_error: true };
    for (const kernel of kernels) {
      await kernel.host.call('kernel.send', { kernelId: kernel.id, message: { channel: 'shell', type: 'execute_request', content } });
    }
  }
  process.stdout.write(`${JSON.stringify({ kernels: kernels.map(({ pid }) => pid), host: hosts[0]?.pid })}\n`);
}

void main(process.argv.slice(2));
