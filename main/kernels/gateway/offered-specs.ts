/**
 * Kernelspecs for a gateway of our own, so that it starts a kernel exactly as this process would: the same program, the same variables. The
 * variables may be private, so folder and file are for this user alone. The name is made from the content: the same kernel needs one file.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { kernelEnvironment } from '../direct/kernel-environment.ts';
import { environmentOf, kernelCommand } from '../direct/launch.ts';
import type { LaunchOptions } from '../kernel.ts';

/** Writes the kernelspec below `folder` and gives its name. One that has no command is known to the server by its own name. */
export async function offerSpec(folder: string, { spec, env = {} }: Pick<LaunchOptions, 'spec' | 'env'>): Promise<string> {
  if (spec.argv.length === 0) return spec.name;
  // The parent is the gateway, which says so itself.
  const { JPY_PARENT_PID: _ours, ...variables } = kernelEnvironment({
    host: process.env,
    spec,
    active: await environmentOf(spec.argv[0] ?? ''),
    extra: env,
    parentPid: process.pid,
    platform: process.platform,
  });
  const text = JSON.stringify({
    argv: kernelCommand(spec, '{connection_file}'),
    env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, literally(value)])),
    display_name: spec.displayName,
    language: spec.language,
    interrupt_mode: spec.interruptMode,
  });
  const name = `cellwright-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  const place = path.join(folder, name);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const temporary = path.join(place, `kernel.json.${randomUUID()}`);
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, path.join(place, 'kernel.json'));
  return name;
}

/** Jupyter fills `$NAME` and `${NAME}` in a kernelspec's variables; here that is done already. */
function literally(value: string): string {
  return value.replaceAll('$', '$$$$');
}
