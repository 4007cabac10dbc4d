/**
 * The two kernels that everything must work with. ipykernel 7 is the tests' own; ipykernel 6 gets an environment beside it in the cache, made
 * the first time and named by CELLWRIGHT_TEST_PYTHON_IPYKERNEL_6 instead where there is one.
 */
import path from 'node:path';
import { ensureManagedEnvironment } from '../../main/kernels/discovery/managed-environment.mjs';
import { cacheFolder } from '../../scripts/setup/cache-folder.mjs';
import { testPython } from './python.ts';

export interface KernelPython {
  name: string;
  /** Absolute path; makes the environment when it is missing, which takes a network and some time. */
  python: () => Promise<string>;
}

export const KERNEL_PYTHONS: readonly KernelPython[] = [
  { name: 'ipykernel 7', python: async () => testPython() },
  { name: 'ipykernel 6', python: ipykernel6Python },
];

/** Also has the packages that send functions to workers by value. */
export async function ipykernel6Python(): Promise<string> {
  const named = process.env.CELLWRIGHT_TEST_PYTHON_IPYKERNEL_6;
  if (named) return named;
  const folder = path.join(cacheFolder(), 'test-python-ipykernel-6');
  return ensureManagedEnvironment({ folder, packages: ['ipykernel>=6,<7', 'cloudpickle', 'dill'], basePython: testPython() });
}
