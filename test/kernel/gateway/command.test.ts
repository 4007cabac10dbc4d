/** `cellwright run --gateway`: the same command, the same outputs, on a real Jupyter server; and what it says when that is impossible. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, TOKEN } from '../../support/jupyter-servers.ts';
import { type Cli, openCli } from '../execution/cli-fixture.ts';

let cli: Cli;
let server: RunningServer;
let file: string;

beforeAll(async () => {
  [cli, server] = await Promise.all([openCli(), startServer({ kind: 'jupyter-server' })]);
  file = path.join(cli.folder, 'remote.ipynb');
  const cell = { cell_type: 'code', metadata: {}, source: 'import os\nprint("parent", os.getppid())', outputs: [], execution_count: null };
  await writeFile(file, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }));
});

afterAll(async () => {
  await Promise.all([cli?.close(), server?.stop()]);
});

describe('cellwright run --gateway', () => {
  it('runs the cells on the server', async () => {
    const { code, stderr } = await cli.run([file, '--gateway', server.url], { env: { CELLWRIGHT_GATEWAY_TOKEN: TOKEN } });
    expect(stderr).not.toContain(TOKEN);
    expect(code).toBe(0);
    const [cell] = JSON.parse(await readFile(file, 'utf8')).cells;
    expect(cell.outputs[0].text).toEqual([`parent ${server.pid}\n`]);
  });

  it('takes the token from the address, as a browser shows it', async () => {
    const { code } = await cli.run([file, '--gateway', `${server.url}lab?token=${TOKEN}`]);
    expect(code).toBe(0);
  });

  it.each([
    ['a wrong token', () => [server.url], { CELLWRIGHT_GATEWAY_TOKEN: 'wrong' }, /token/i],
    ['a kernel that is not there', () => [server.url, '--kernel', 'cobol'], { CELLWRIGHT_GATEWAY_TOKEN: TOKEN }, /no kernel “cobol”/],
    ['nobody at the address', () => ['http://127.0.0.1:9/'], {}, /does not answer/],
    ['an address that is none', () => ['ftp://example'], {}, /not the address of a Jupyter server/],
  ])('says what is wrong: %s', async (_, args, env, words) => {
    const before = await readFile(file);
    const { code, stderr } = await cli.run([file, '--gateway', ...args()], { env });
    expect(code).toBe(3);
    expect(stderr).toMatch(words);
    expect(await readFile(file)).toEqual(before);
  });
});
