/**
 * A Python that can start kernels: an existing one, else the environment the app owns; and the one that tests use.
 * The environment itself is made by the code that main uses too, so that both agree on where it is and when it is complete.
 */
import path from 'node:path';
import {
  ensureManagedEnvironment,
  ManagedEnvironmentError,
  managedEnvironmentFolder,
  managedPython,
  pythonHasIpykernel,
} from '../../main/kernels/discovery/managed-environment.mjs';
import { cacheFolder } from './cache-folder.mjs';
import { aptInstall, canInstall } from './system-libraries.mjs';

/** What the tests start kernels with, run notebooks with, and compare with. The major version of ipykernel decides what they see. */
const TEST_PACKAGES = ['ipykernel>=7,<8', 'ipywidgets', 'jupyter_client', 'matplotlib', 'nbclient', 'nbformat', 'pandas'];

/**
 * Finds or makes the Python for a person's notebooks.
 * @param {(text: string) => void} progress
 * @returns {Promise<{ said: string, value: string }>} the interpreter
 * @throws {ManagedEnvironmentError}
 */
export async function preparePython(progress) {
  const managed = managedPython(managedEnvironmentFolder());
  const candidates = process.platform === 'win32' ? ['python', managed] : ['python3', 'python', managed];
  const found = await Promise.all(candidates.map(pythonHasIpykernel));
  for (const [index, candidate] of candidates.entries()) {
    const versions = found[index];
    if (versions) return { said: `${candidate} ${versions.pythonVersion} with ipykernel ${versions.version}`, value: candidate };
  }
  const python = await makeEnvironment({ onProgress: progress });
  return { said: `made ${managedEnvironmentFolder()}`, value: python };
}

/**
 * Makes the Python for tests, in the cache folder. `CELLWRIGHT_TEST_PYTHON` names another one instead.
 * @param {(text: string) => void} progress
 * @returns {Promise<{ said: string, value: string }>} the interpreter
 * @throws {ManagedEnvironmentError}
 */
export async function prepareTestPython(progress) {
  const named = process.env.CELLWRIGHT_TEST_PYTHON;
  if (named) return { said: `${named}, named by CELLWRIGHT_TEST_PYTHON`, value: named };
  const folder = path.join(cacheFolder(), 'test-python');
  const python = await makeEnvironment({ folder, packages: TEST_PACKAGES, onProgress: progress });
  return { said: folder, value: python };
}

/**
 * Debian splits venv off from Python; where it can be had without asking, it is.
 * @param {NonNullable<Parameters<typeof ensureManagedEnvironment>[0]>} options
 */
async function makeEnvironment(options) {
  try {
    return await ensureManagedEnvironment(options);
  } catch (error) {
    const lacksVenv = error instanceof ManagedEnvironmentError && (error.code === 'no-venv' || error.code === 'no-python');
    if (!lacksVenv || !canInstall()) throw error;
    await aptInstall(['python3', 'python3-venv'], options.onProgress ?? (() => {}));
    return ensureManagedEnvironment(options);
  }
}
