/** The kernelspec of a Python that has ipykernel, for processes that tests start: they are given its path and have no environment of vitest's. */
import type { KernelSpec } from '../../main/kernels/kernel.ts';

export function pythonSpecOf(python: string): KernelSpec {
  return {
    name: 'python3',
    displayName: 'Python',
    language: 'python',
    argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    env: {},
    interruptMode: 'signal',
    resourceDir: null,
    source: 'interpreter',
  };
}
