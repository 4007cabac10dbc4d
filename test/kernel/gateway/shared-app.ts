/**
 * One Cellwright for the tests of the shared gateway: a process of its own, to be told what to do line by line, and to be killed.
 * Arguments: bundle of the kernel host, the gateway's Python, runtime folder.
 */
import { createInterface } from 'node:readline';
import type { GatewayKernel } from '../../../main/kernels/gateway/gateway-kernel.ts';
import { SharedGateway } from '../../../main/kernels/gateway/shared-gateway.ts';
import { forkHost } from '../../../main/kernels/host/fork-host.ts';
import type { Kernel, KernelSpec } from '../../../main/kernels/kernel.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';

const SPEC: KernelSpec = {
  name: 'python3',
  displayName: 'Python',
  language: 'python',
  argv: [],
  env: {},
  interruptMode: 'signal',
  resourceDir: null,
  source: 'kernelspec',
};

const EXECUTE = { code: '', silent: false, store_history: false, allow_stdin: false, stop_on_error: true };
const REQUEST_LIMIT_MS = 100_000;

/** What a test may ask for; each is answered with one line of JSON. */
export type Command =
  | { do: 'open'; cwd: string }
  | { do: 'run'; code: string; value: string }
  | { do: 'restart' }
  | { do: 'state' }
  | { do: 'leave' }
  | { do: 'stop' };

async function main([hostEntry, python, runtimeFolder]: string[]): Promise<void> {
  if (!hostEntry || !python || !runtimeFolder) throw new Error('Too few arguments.');
  const shared = new SharedGateway({ python, runtimeFolder });
  const manager = new KernelManager({ spawnHost: () => forkHost(hostEntry), runtimeFolder });
  let kernel: Kernel | null = null;
  let exit: string | null = null;
  const obey = async (command: Command): Promise<unknown> => {
    switch (command.do) {
      case 'open': {
        kernel = await manager.start({ spec: SPEC, cwd: command.cwd, gateway: () => shared.target() });
        kernel.on('exit', ({ message }) => {
          exit = message;
        });
        const { process: gateway, url, token } = await shared.target();
        return { gateway: gateway?.pid, url, token, serverKernelId: (kernel as GatewayKernel).serverKernelId };
      }
      case 'run': {
        const content = { ...EXECUTE, code: command.code, user_expressions: { value: command.value } };
        const reply = await kernel?.request({ channel: 'shell', type: 'execute_request', content }, REQUEST_LIMIT_MS);
        return (reply as { user_expressions: { value: { data?: Record<string, string> } } }).user_expressions.value.data?.['text/plain'];
      }
      case 'restart':
        return kernel?.restart();
      case 'state':
        return { state: kernel?.state, exit };
      case 'leave':
        await manager.close();
        return shared.leave();
      case 'stop':
        return shared.stop();
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await obey(JSON.parse(line)).then(
      (value) => ({ value: value ?? null }),
      (error: Error) => ({ error: error.message }),
    );
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

void main(process.argv.slice(2));
