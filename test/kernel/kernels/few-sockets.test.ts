/** A kernel's sockets at the limit of descriptors, wherever in the row of them it is reached: an error with its code, and nothing stays open. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildHostEntry } from '../../support/host-entry.ts';

const run = promisify(execFile);

test.runIf(process.platform === 'linux')('sockets that can’t be opened leave none behind, and the next ones open', async () => {
  const program = await buildHostEntry('test/kernel/kernels/few-sockets.ts');
  const { stdout } = await run('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, program]);
  const { results, left } = JSON.parse(stdout) as { results: string[]; left: number };
  expect(left).toBe(0);
  expect(results[0]).toBe('EMFILE');
  expect(results.at(-1)).toBe('ok');
  expect(new Set(results)).toEqual(new Set(['EMFILE', 'ok']));
});
