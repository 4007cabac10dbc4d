/**
 * The environment of a kernel process, made in a fixed order: each step may replace what an earlier one set, and the reason for its place
 * stands beside it. Pure; what the disk says about the interpreter comes in as a value.
 */
import path from 'node:path';
import type { KernelSpec } from '../kernel.ts';
import { filterEnvironment } from './environment-filter.ts';

/** The Python environment that a kernel's program belongs to. */
export interface ActiveEnvironment {
  kind: 'venv' | 'conda';
  /** Its root: where pyvenv.cfg or conda-meta is. */
  prefix: string;
}

export interface EnvironmentInput {
  /** Our own environment. */
  host: Readonly<Record<string, string | undefined>>;
  spec: KernelSpec;
  active: ActiveEnvironment | null;
  /** From the caller: the session's own variables. */
  extra: Readonly<Record<string, string>>;
  /** The process that the kernel should not outlive. */
  parentPid: number;
  platform: NodeJS.Platform;
}

/** Variables of an environment that some shell had activated: they name another environment than the kernel's. */
const ACTIVATION = /^(VIRTUAL_ENV(_PROMPT)?|CONDA_(PREFIX(_\d+)?|DEFAULT_ENV|PROMPT_MODIFIER|SHLVL|STACKED_\d+)|PYENV_VERSION)$/i;

/** Init, in a container: a kernel whose parent is this takes itself for an orphan and leaves at once. */
const INIT_PID = 1;

export function kernelEnvironment(input: EnvironmentInput): Record<string, string> {
  const { host, spec, active, extra, parentPid, platform } = input;
  // 1. What the person's session has, without keys.
  let env = filterEnvironment(host);
  // 2. The interpreter's own environment in place of the shell's, so that `!pip` and DLLs are those of the kernel.
  if (active) env = activate(env, active, platform);
  // 3. The kernelspec, which may build on all that: Jupyter fills `${NAME}` from the environment.
  for (const [name, value] of Object.entries(spec.env)) set(env, name, fill(value, env), platform);
  // 4. The caller knows the session and has the last word on it.
  for (const [name, value] of Object.entries(extra)) set(env, name, value, platform);
  // 5. A kernel that watches for this ends with its parent. On Windows it would have to be an inherited handle, which Node can't make.
  if (platform !== 'win32' && parentPid !== INIT_PID) env.JPY_PARENT_PID = String(parentPid);
  return env;
}

/** What `activate` of a venv or of conda does for programs, without its changes to the prompt. */
function activate(env: Record<string, string>, { kind, prefix }: ActiveEnvironment, platform: NodeJS.Platform): Record<string, string> {
  const join = platform === 'win32' ? path.win32.join : path.posix.join;
  const bin = platform === 'win32' ? 'Scripts' : 'bin';
  // Conda's packages on Windows keep their DLLs in Library; numpy fails to load without it.
  const inside = platform === 'win32' && kind === 'conda' ? ['', 'Library/mingw-w64/bin', 'Library/usr/bin', 'Library/bin', bin] : [bin];
  const folders = inside.map((folder) => (folder === '' ? prefix : join(prefix, folder)));
  const active: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (!ACTIVATION.test(name)) active[name] = value;
  const pathName = nameIn(active, 'PATH', platform);
  const separator = platform === 'win32' ? ';' : ':';
  const others = (active[pathName] ?? '').split(separator).filter((folder) => folder !== '' && !folders.includes(folder));
  active[pathName] = [...folders, ...others].join(separator);
  if (kind === 'venv') return { ...active, VIRTUAL_ENV: prefix };
  return { ...active, CONDA_PREFIX: prefix, CONDA_DEFAULT_ENV: path.basename(prefix) };
}

function set(env: Record<string, string>, name: string, value: string, platform: NodeJS.Platform): void {
  env[nameIn(env, name, platform)] = value;
}

/** Windows has one variable for all spellings of a name: a second `PATH` beside `Path` would be lost or win by chance. */
function nameIn(env: Readonly<Record<string, string>>, name: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return name;
  return Object.keys(env).find((other) => other.toUpperCase() === name.toUpperCase()) ?? name;
}

function fill(value: string, env: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
}
