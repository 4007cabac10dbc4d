/**
 * The Python whose Jupyter server is the shared gateway: the one that the settings name, else one of this machine that has a server, else an
 * environment of our own, which is made when it is first needed. Kernels don't run in it, so it need not fit any notebook.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { filterEnvironment } from '../direct/environment-filter.ts';
import { machineInterpreters } from '../discovery/interpreters.ts';
import { type System, thisSystem } from '../discovery/jupyter-paths.ts';
import { ensureManagedEnvironment, isComplete, managedEnvironmentFolder, managedPython } from '../discovery/managed-environment.mjs';
import { KernelStartError } from '../errors.ts';

const PACKAGES = ['jupyter-server>=2.14'];

/** A first import may read a cold disk; one that takes longer is of no use. */
const PROBE_LIMIT_MS = 15_000;

/** Finding a package does not run it. */
const PROBE = `import importlib.util as u; print(any(map(u.find_spec, ('kernel_gateway', 'jupyter_server'))))`;

/** Makes the environment when nothing else has a server, which takes a network and a minute. Throws KernelStartError. */
export async function gatewayPython(named: string | null): Promise<string> {
  const found = await findGatewayPython(named);
  if (found !== null) return found;
  const folder = ownFolder(thisSystem());
  return ensureManagedEnvironment({ folder, packages: PACKAGES }).catch((cause: Error) => {
    const message = `No Python here has a Jupyter server, which the shared gateway needs, and ${folder} could not be made: ${cause.message}`;
    throw new KernelStartError('gateway', message, 'Or name a Python that has jupyter_server in the settings (sharedGatewayPython).', '', {
      cause,
    });
  });
}

/** The one there is now; null when it would have to be made. One that was named is taken as it is: its start says what it lacks. */
export async function findGatewayPython(named: string | null): Promise<string | null> {
  if (named !== null) return named;
  const system = thisSystem();
  const own = ownFolder(system);
  if (await isComplete(own, PACKAGES)) return managedPython(own, system.platform);
  const programs = (await machineInterpreters(system)).map((interpreter) => interpreter.path);
  const able = await Promise.all(programs.map(hasServer));
  return programs.find((_program, index) => able[index]) ?? null;
}

/** Whether a Jupyter server can be started with it. Never throws. */
export function hasServer(program: string): Promise<boolean> {
  const options = {
    cwd: path.parse(process.execPath).root,
    env: filterEnvironment(process.env),
    timeout: PROBE_LIMIT_MS,
    windowsHide: true,
  };
  return new Promise((resolve) => {
    execFile(program, ['-c', PROBE], options, (error, stdout) => resolve(!error && stdout.trim() === 'True'));
  });
}

/** Beside the environment that kernels run in. */
function ownFolder({ platform, env, home }: System): string {
  return `${managedEnvironmentFolder(platform, env, home)}-gateway`;
}
