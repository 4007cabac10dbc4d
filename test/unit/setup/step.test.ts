/** What set-up prints: one line per step, in a terminal with progress in place, in a log without. */
import { expect, it } from 'vitest';
import { explain, SetupError, step } from '../../../scripts/setup/step.mjs';

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 40, write: (text: string) => void written.push(text) };
}

it('prints one line for a quick step in a log', async () => {
  const log = output(false);
  const value = await step(
    'build',
    async (progress) => {
      progress('building');
      return { said: 'built', value: 7 };
    },
    log,
  );
  expect(value).toBe(7);
  expect(log.written).toHaveLength(1);
  expect(log.written[0]).toMatch(/^build +built \(\d+\.\d s\)\n$/);
});

it('shows progress in place in a terminal, never wider than it', async () => {
  const terminal = output(true);
  await step(
    'electron',
    async (progress) => {
      progress(`downloading ${'x'.repeat(100)}`);
      return { said: 'there', value: undefined };
    },
    terminal,
  );
  const [first = '', ...rest] = terminal.written;
  expect(first.startsWith('\r\x1b[2Kelectron')).toBe(true);
  expect(first.replace('\r\x1b[2K', '').length).toBeLessThan(40);
  expect(rest.at(-1)).toMatch(/^\r\x1b\[2Kelectron +there \(\d+\.\d s\)\n$/);
});

it('says that a step failed and passes its error on', async () => {
  const log = output(false);
  const failing = step('python', async () => Promise.reject(new SetupError('No Python. Install one.')), log);
  await expect(failing).rejects.toThrow('No Python. Install one.');
  expect(log.written).toEqual([expect.stringMatching(/^python +failed /)]);
});

it('shows a stack only for what nobody foresaw', () => {
  expect(explain(new SetupError('Do this.'))).toBe('\nDo this.');
  expect(explain(new TypeError('x is not a function'))).toContain('step.test.ts');
});
