/** Running programs: what comes back from good, failing and missing ones, and what of npm's many lines a person gets to see. */
import { expect, it } from 'vitest';
import { npmCommand, npmReason, run } from '../../../scripts/setup/command.mjs';

it('gives the code, the output and each line', async () => {
  const lines: string[] = [];
  const script = 'process.stdout.write("a\\r50%\\rb\\n"); console.error("c"); process.exitCode = 3;';
  const result = await run(process.execPath, ['-e', script], { onLine: (line) => lines.push(line) });
  expect(result.code).toBe(3);
  expect(lines.sort()).toEqual(['50%', 'a', 'b', 'c']);
});

it('tells a program that is missing and one that takes too long', async () => {
  expect(await run('/nowhere/program', [])).toEqual({ code: null, output: expect.stringContaining('ENOENT') });
  expect((await run(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeoutMs: 50 })).code).toBeNull();
});

it('uses the npm that already runs', () => {
  expect(npmCommand(['ci'], { npm_execpath: '/usr/lib/npm/bin/npm-cli.js' })).toEqual({
    program: process.execPath,
    args: ['/usr/lib/npm/bin/npm-cli.js', 'ci'],
    shell: false,
  });
  expect(npmCommand(['ci'], { npm_execpath: '/usr/lib/yarn/bin/yarn.js' })).toMatchObject({ program: 'npm', args: ['ci'] });
  expect(npmCommand(['ci'], {})).toMatchObject({ program: 'npm', args: ['ci'] });
});

it('keeps npm’s reason and leaves its stack, codes and log away', () => {
  const output = [
    'npm error code ECONNREFUSED',
    'npm error syscall connect',
    'npm error FetchError: request to http://localhost:1/zod failed, reason: connect ECONNREFUSED',
    'npm error     at ClientRequest.<anonymous> (/usr/lib/index.js:130:14)',
    'npm error   code: 1,',
    'npm error }',
    'npm error',
    "npm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.",
    'npm error A complete log of this run can be found in: /tmp/x.log',
  ].join('\n');
  expect(npmReason(output)).toBe('FetchError: request to http://localhost:1/zod failed, reason: connect ECONNREFUSED');
  expect(npmReason('spawn npm ENOENT')).toBe('spawn npm ENOENT');
});
