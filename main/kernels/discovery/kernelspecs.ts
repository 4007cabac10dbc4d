/**
 * The kernelspecs on this machine (jupyter_client, "Kernel specs"). The first folder that has a name wins, as in Jupyter. A spec that can't
 * be read is left out: one broken file must not hide the others.
 */
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { KernelSpec } from '../kernel.ts';
import { jupyterDataPath, type System, thisSystem } from './jupyter-paths.ts';

const specSchema = z.object({
  argv: z.array(z.string()).min(1),
  display_name: z.string().optional(),
  language: z.string().default(''),
  interrupt_mode: z.enum(['signal', 'message']).catch('signal'),
  env: z.record(z.string(), z.string()).catch({}),
});

/** Jupyter's rule for names of kernels; anything else in the folder is no kernel. */
const NAME = /^[\w.-]+$/;

/** Commands that mean "the Python that this kernelspec was installed with". */
const PYTHON = /^python(\d(\.\d+)?)?(\.exe)?$/i;

/** Every kernelspec, best first. `first` are data folders to search before Jupyter's own, e.g. a project environment's. */
export async function findKernelspecs(options: Partial<System> & { first?: readonly string[] } = {}): Promise<KernelSpec[]> {
  const { first = [], ...given } = options;
  const system = { ...thisSystem(), ...given };
  const folders = [...first, ...jupyterDataPath(system), ...(await frameworkFolders(system))];
  const found = await Promise.all(folders.map((folder) => readFolder(path.join(folder, 'kernels'), system.platform)));
  const byName = new Map<string, KernelSpec>();
  for (const spec of found.flat()) {
    const key = spec.name.toLowerCase();
    if (!byName.has(key)) byName.set(key, spec);
  }
  return [...byName.values()];
}

async function readFolder(folder: string, platform: NodeJS.Platform): Promise<KernelSpec[]> {
  const names = await readdir(folder).catch(() => []);
  const specs = await Promise.all(names.sort().map((name) => (NAME.test(name) ? readSpec(path.join(folder, name), platform) : null)));
  return specs.filter((spec) => spec !== null);
}

/** Null when the folder holds no kernelspec that can be used. */
async function readSpec(folder: string, platform: NodeJS.Platform): Promise<KernelSpec | null> {
  try {
    const text = await readFile(path.join(folder, 'kernel.json'), 'utf8');
    const spec = specSchema.parse(JSON.parse(text.replace(/^\uFEFF/, '')));
    const name = path.basename(folder);
    const [program = '', ...args] = spec.argv;
    return {
      name,
      displayName: spec.display_name ?? name,
      language: spec.language,
      argv: [await programOf(program, folder, platform), ...args],
      env: spec.env,
      interruptMode: spec.interrupt_mode,
      resourceDir: folder,
      source: 'kernelspec',
    };
  } catch {
    return null;
  }
}

/**
 * ipykernel's own kernelspec says only `python`: it means the interpreter of the prefix that the spec lies in
 * (`<prefix>/share/jupyter/kernels/<name>`). From the search path it could be any other.
 */
async function programOf(program: string, folder: string, platform: NodeJS.Platform): Promise<string> {
  if (!PYTHON.test(program)) return program;
  const prefix = path.resolve(folder, '..', '..', '..', '..');
  const places = platform === 'win32' ? ['python.exe', 'Scripts/python.exe'] : [`bin/${program}`, 'bin/python', 'bin/python3'];
  for (const place of places) {
    const file = path.join(prefix, place);
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return program;
}

/** Framework builds of Python on macOS keep `pip install --user` by version. */
async function frameworkFolders({ platform, home, env }: System): Promise<string[]> {
  if (platform !== 'darwin' || env.PYTHONUSERBASE) return [];
  const base = path.join(home, 'Library', 'Python');
  const versions = await readdir(base).catch(() => []);
  return versions.map((version) => path.join(base, version, 'share', 'jupyter'));
}
