/**
 * The Pythons a notebook could run on: the project's environments first, then the rest of the machine, then the managed environment. One
 * entry per environment: several names of one interpreter (links, shims) count once, but environments that share a binary do not.
 */
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { KernelSpec } from '../kernel.ts';
import { type System, thisSystem } from './jupyter-paths.ts';
import { machinePrograms, programIn } from './machine-interpreters.ts';
import { managedEnvironmentFolder, managedPython } from './managed-environment.mjs';
import { type Answer, probeInterpreter } from './probe.ts';
import { type EnvironmentFolder, projectEnvironments, pyenvRoot } from './project-environments.ts';

export interface Interpreter {
  path: string;
  version: string;
  kind: 'venv' | 'conda' | 'pyenv' | 'uv' | 'poetry' | 'pipenv' | 'system' | 'managed';
  /** For people, e.g. `Python 3.12 (.venv)`. */
  displayName: string;
  /** Version of ipykernel, or null when it still has to be installed. */
  ipykernel: string | null;
  /** Root of the environment. */
  prefix: string;
  /** Belongs to the project that was asked about. */
  project: boolean;
}

/** Every Python that works, best first. Never throws. */
export async function findInterpreters(projectFolder: string | null, options: Partial<System> = {}): Promise<Interpreter[]> {
  const system = { ...thisSystem(), ...options };
  const [project, machine, managed] = await Promise.all([
    projectFolder === null ? [] : projectInterpreters(projectFolder, system),
    machineInterpreters(system),
    managedInterpreter(system),
  ]);
  return unique([...project, ...machine, ...(managed ? [managed] : [])]);
}

/** Those of the project alone, which are few: a notebook that has one need not wait for the others. */
export async function projectInterpreters(projectFolder: string, system: System): Promise<Interpreter[]> {
  const folders = await projectEnvironments(projectFolder, system);
  const found = await Promise.all(folders.map((folder) => projectInterpreter(folder, system)));
  return unique(found.filter((interpreter) => interpreter !== null));
}

export async function machineInterpreters(system: System): Promise<Interpreter[]> {
  const programs = await machinePrograms(system);
  const there = await Promise.all(programs.map(exists));
  const answers = await Promise.all(programs.filter((_program, index) => there[index]).map(probeInterpreter));
  const managed = managedEnvironmentFolder(system.platform, system.env, system.home);
  const working = answers.filter((answer) => answer !== null).filter((answer) => answer.prefix !== managed);
  return unique(await Promise.all(working.map(async (answer) => describe(answer, await kindOf(answer, system), false))));
}

/** The app's own environment, when it was made. */
export async function managedInterpreter(system: System): Promise<Interpreter | null> {
  const folder = managedEnvironmentFolder(system.platform, system.env, system.home);
  const program = managedPython(folder, system.platform);
  const answer = (await exists(program)) ? await probeInterpreter(program) : null;
  return answer && describe(answer, 'managed', false);
}

/** A kernelspec that starts ipykernel in an interpreter. `python3` is the name that notebooks carry to other machines. */
export function interpreterSpec(interpreter: Interpreter): KernelSpec {
  return {
    name: 'python3',
    displayName: interpreter.displayName,
    language: 'python',
    argv: [interpreter.path, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    env: {},
    interruptMode: 'signal',
    resourceDir: null,
    source: interpreter.project ? 'project' : interpreter.kind === 'managed' ? 'managed' : 'interpreter',
  };
}

async function projectInterpreter({ prefix, origin }: EnvironmentFolder, system: System): Promise<Interpreter | null> {
  for (const conda of [false, true]) {
    const program = programIn(prefix, system.platform, conda);
    const answer = (await exists(program)) ? await probeInterpreter(program) : null;
    if (answer) return describe(answer, origin === 'folder' ? await kindOf(answer, system) : origin, true);
  }
  return null;
}

function describe(answer: Answer, kind: Interpreter['kind'], project: boolean): Interpreter {
  const { executable, version, prefix, ipykernel } = answer;
  return { path: executable, version, kind, displayName: displayName(answer, kind), ipykernel, prefix, project };
}

/** From the marks that each tool leaves in the environment. */
async function kindOf({ prefix, basePrefix }: Answer, system: System): Promise<Interpreter['kind']> {
  if (await exists(path.join(prefix, 'conda-meta'))) return 'conda';
  if (prefix !== basePrefix) {
    const settings = await readFile(path.join(prefix, 'pyvenv.cfg'), 'utf8').catch(() => '');
    return /^uv\s*=/m.test(settings) ? 'uv' : 'venv';
  }
  if (isInside(prefix, path.join(pyenvRoot(system), 'versions'))) return 'pyenv';
  if (prefix.split(/[\\/]/).join('/').includes('/uv/python/')) return 'uv';
  return 'system';
}

function displayName({ version, prefix }: Answer, kind: Interpreter['kind']): string {
  const short = version.split('.').slice(0, 2).join('.');
  switch (kind) {
    case 'managed':
      return `Python ${short} (Cellwright)`;
    case 'system':
      return `Python ${version}`;
    case 'pyenv':
      return `Python ${version} (pyenv)`;
    case 'poetry':
    case 'pipenv':
      return `Python ${short} (${kind})`;
    default:
      return `Python ${short} (${path.basename(prefix)})`;
  }
}

function unique(interpreters: readonly Interpreter[]): Interpreter[] {
  const byPrefix = new Map<string, Interpreter>();
  for (const interpreter of interpreters) {
    const key = `${interpreter.prefix}\n${interpreter.version}`;
    if (!byPrefix.has(key)) byPrefix.set(key, interpreter);
  }
  return [...byPrefix.values()];
}

function isInside(file: string, folder: string): boolean {
  return !path.relative(folder, file).startsWith('..') && !path.isAbsolute(path.relative(folder, file));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
