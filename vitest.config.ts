/**
 * Four projects, because their needs differ: unit tests run side by side; kernel and fault tests start real kernels, so few at a
 * time, of both together; end-to-end tests share one display and one window focus, so strictly one after the other.
 */
import { readFile } from 'node:fs/promises';
import { defineConfig } from 'vitest/config';

/** Tests with kernels wait more than they compute; with more at once than this their own time limits measure the machine. */
const KERNEL_WORKERS = 3;

/**
 * Of tests with real kernels and windows: the machine is theirs and everybody's. `npm test` names each test that needed it, with its first error,
 * for there is a cause to be found.
 */
const SECOND_TRY = 1;

/** What is waited for takes longer than the usual second where others work too. */
const PATIENT = { poll: { timeout: 15_000 } };

/** Gives a Python file as its text, as esbuild's `text` loader does in the bundles. */
const pythonText = {
  name: 'python-text',
  async load(id: string) {
    return id.endsWith('.py') ? `export default ${JSON.stringify(await readFile(id, 'utf8'))};` : null;
  },
};

/** Whoever runs the tests from a desktop: their own shell's variables are none of a test's business. */
process.env.CELLWRIGHT_SHELL_ENVIRONMENT ??= 'off';

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [pythonText],
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          testTimeout: 20_000,
          expect: PATIENT,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [pythonText],
        test: {
          name: 'kernel',
          include: ['test/kernel/**/*.test.ts'],
          globalSetup: ['test/support/ipython.ts'],
          testTimeout: 120_000,
          expect: PATIENT,
          retry: SECOND_TRY,
          hookTimeout: 120_000,
          maxWorkers: KERNEL_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [pythonText],
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          globalSetup: ['test/support/ipython.ts'],
          testTimeout: 180_000,
          expect: PATIENT,
          retry: SECOND_TRY,
          hookTimeout: 120_000,
          maxWorkers: KERNEL_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/ipython.ts', 'test/support/display.ts'],
          testTimeout: 180_000,
          retry: SECOND_TRY,
          hookTimeout: 120_000,
          expect: PATIENT,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
