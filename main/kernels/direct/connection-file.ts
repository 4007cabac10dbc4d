/**
 * The connection file: where the kernel listens and the key it signs with (message protocol, "connection files"). Whoever reads the key
 * can run code in the kernel, so the file is made anew with mode 0600 and never opened when something is there already.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ConnectionInfo } from '../connection.ts';
import { KERNEL_IP } from './ports.ts';

/** How many ports a kernel needs. */
export const PORT_COUNT = 5;

const KEY_BYTES = 32;

/** The content for five ports, with a fresh key. */
export function connectionInfo(ports: readonly number[], kernelName: string): ConnectionInfo {
  const [shell, iopub, stdin, control, hb] = ports;
  if (shell === undefined || iopub === undefined || stdin === undefined || control === undefined || hb === undefined) {
    throw new RangeError(`A kernel needs ${PORT_COUNT} ports.`);
  }
  return {
    ip: KERNEL_IP,
    transport: 'tcp',
    shell_port: shell,
    iopub_port: iopub,
    stdin_port: stdin,
    control_port: control,
    hb_port: hb,
    key: randomBytes(KEY_BYTES).toString('hex'),
    signature_scheme: 'hmac-sha256',
    kernel_name: kernelName,
  };
}

/** Writes it into the runtime folder, which is made for this user alone when it is missing. Returns the path. */
export async function writeConnectionFile(runtimeFolder: string, info: ConnectionInfo): Promise<string> {
  await mkdir(runtimeFolder, { recursive: true, mode: 0o700 });
  const file = path.join(runtimeFolder, `kernel-${randomUUID()}.json`);
  await writeFile(file, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

export async function removeConnectionFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
