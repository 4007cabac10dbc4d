/**
 * Real Python environments that are made in milliseconds: the links and settings that `venv` makes, over the Python for tests. Those with
 * ipykernel see the packages of that Python.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { testPython } from '../../support/python.ts';

interface Base {
  executable: string;
  version: string;
  packages: string;
}

let base: Base | undefined;

function basePython(): Base {
  const script =
    "import json, os, sys, sysconfig; print(json.dumps({'executable': os.path.realpath(sys.executable), 'version': '%d.%d' % sys.version_info[:2], 'packages': sysconfig.get_paths()['purelib']}))";
  base ??= JSON.parse(execFileSync(testPython(), ['-c', script], { encoding: 'utf8' })) as Base;
  return base;
}

/** Makes an environment and returns its Python. `settings` are more lines of pyvenv.cfg. */
export async function makeEnvironment(prefix: string, ipykernel: boolean, settings = ''): Promise<string> {
  const { executable, version } = basePython();
  const python = path.join(prefix, 'bin', 'python');
  const own = path.join(prefix, 'lib', `python${version}`, 'site-packages');
  await mkdir(path.dirname(python), { recursive: true });
  await mkdir(own, { recursive: true });
  await symlink(executable, python);
  await writeFile(path.join(prefix, 'pyvenv.cfg'), `home = ${path.dirname(executable)}\ninclude-system-site-packages = false\n${settings}`);
  if (ipykernel) await addIpykernel(prefix);
  return python;
}

/** What an install of ipykernel does, as seen from outside: it can be imported from now on. */
export async function addIpykernel(prefix: string): Promise<void> {
  const { version, packages } = basePython();
  await writeFile(path.join(prefix, 'lib', `python${version}`, 'site-packages', 'packages.pth'), `${packages}\n`);
}

/** Writes a kernelspec below a Jupyter data folder. */
export async function writeKernelspec(dataFolder: string, name: string, content: unknown): Promise<string> {
  const folder = path.join(dataFolder, 'kernels', name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'kernel.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}
