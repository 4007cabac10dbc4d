/**
 * What `doctor` finds out about kernels: the Pythons that can start one, the kernelspecs, the environment the app owns.
 * One Python with ipykernel is enough; the others are listed because a person looks for the one they meant.
 */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { findInterpreters, type Interpreter } from '../kernels/discovery/interpreters.ts';
import { findKernelspecs } from '../kernels/discovery/kernelspecs.ts';
import { managedEnvironmentFolder } from '../kernels/discovery/managed-environment.mjs';
import type { KernelSpec } from '../kernels/kernel.ts';
import { type Finding, missing, ok } from './finding.ts';

export async function pythonFindings(): Promise<Finding[]> {
  const [interpreters, kernelspecs] = await Promise.all([findInterpreters(process.cwd()), findKernelspecs()]);
  return [
    pythonFinding(interpreters),
    ...interpreters.map(interpreterFinding),
    managedFinding(interpreters),
    ...(await Promise.all(kernelspecs.map(kernelspecFinding))),
  ];
}

/** `interpreters` come best first, as discovery gives them. */
export function pythonFinding(interpreters: readonly Interpreter[]): Finding {
  const best = interpreters.find(({ ipykernel }) => ipykernel !== null);
  if (best) return ok('Python', `${best.version} with ipykernel ${best.ipykernel}: ${best.path}`);
  const install = interpreters[0] ? `\`${interpreters[0].path} -m pip install ipykernel\`` : 'install Python 3.9 or newer';
  const found = interpreters.length === 0 ? 'none on this machine' : 'none with ipykernel';
  return missing('Python', found, `run \`npm start\` in Cellwright’s folder, which makes an environment of its own, or: ${install}`);
}

function interpreterFinding({ displayName, path: file, ipykernel }: Interpreter): Finding {
  return ok('Interpreter', `${displayName}, ${ipykernel === null ? 'no ipykernel' : `ipykernel ${ipykernel}`}: ${file}`);
}

function managedFinding(interpreters: readonly Interpreter[]): Finding {
  const made = interpreters.some(({ kind }) => kind === 'managed');
  return ok('Managed Python', made ? managedEnvironmentFolder() : `not made; its place is ${managedEnvironmentFolder()}`);
}

/** A kernelspec outlives the program it starts, for instance when an environment is deleted. */
async function kernelspecFinding({ name, displayName, argv, resourceDir }: KernelSpec): Promise<Finding> {
  const [program = ''] = argv;
  if (await canBeStarted(program)) return ok('Kernelspec', `${name}, ${displayName}: ${program}`);
  return missing(
    'Kernelspec',
    `${name}: its program ${program} does not exist`,
    `install that program, or delete the folder ${resourceDir}`,
  );
}

async function canBeStarted(program: string): Promise<boolean> {
  const folders = path.isAbsolute(program) ? [''] : (process.env.PATH ?? '').split(path.delimiter);
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const there = await access(path.join(folder, program + ending)).then(
        () => true,
        () => false,
      );
      if (there) return true;
    }
  }
  return false;
}
