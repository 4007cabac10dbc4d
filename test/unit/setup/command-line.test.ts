/** `cellwright` as a person calls it: a real process of the built command line, its exit code and what it prints where. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { repository } from '../../../scripts/setup/paths.mjs';
import { testPython } from '../../support/python.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cellwright-command-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function cellwright(args: string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(repository, 'bin/cellwright.mjs'), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('prints its version and its help', () => {
  expect(cellwright(['--version'])).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  const help = cellwright(['--help']);
  expect(help.status).toBe(0);
  for (const command of ['run', 'doctor', 'mcp']) expect(help.stdout).toContain(`cellwright ${command}`);
});

it.each([[['--thme=dark']], [['notebook.ipynb', '--frobnicate']], [['doctor', '--frobnicate']]])('refuses %j with exit code 2', (args) => {
  const { status, stdout, stderr } = cellwright(args);
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/Unknown option --(thme|frobnicate)|Usage: cellwright doctor/);
});

it('says which file does not exist instead of opening an empty window', () => {
  expect(cellwright(['nothing.ipynb'])).toMatchObject({ status: 1, stderr: `${path.join(folder, 'nothing.ipynb')} does not exist.\n` });
});

it('ends mcp when nobody is there, and refuses what it does not know, with nothing on stdout', () => {
  expect(cellwright(['mcp'], { ...process.env, CELLWRIGHT_PROFILE: folder })).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(cellwright(['mcp', '--frobnicate'])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('frobnicate') });
});

describe('doctor', () => {
  it('tells every finding, each missing one with its fix', () => {
    const { status, stdout } = cellwright(['doctor', '--json']);
    const findings: { name: string; status: string; detail: string; fix?: string }[] = JSON.parse(stdout);
    expect(findings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Electron', 'Node', 'ZeroMQ', 'Open files', 'Settings', 'Logs']),
    );
    expect(findings.every(({ status: found, fix }) => found === 'ok' || (found === 'missing' && fix))).toBe(true);
    expect(status).toBe(findings.every(({ status: found }) => found === 'ok') ? 0 : 1);
  });

  it('prints what is missing with its fix, and ends with code 1', () => {
    const { status, stdout } = cellwright(['doctor'], { ...process.env, CELLWRIGHT_THEME: 'pink' });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^missing +Settings .*\n +how to fix it: /m);
  });

  it('finds a Python on the path', () => {
    const folder = path.dirname(testPython());
    const { stdout } = cellwright(['doctor'], { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` });
    const line = stdout.split('\n').find((text) => text.includes(`: ${folder}${path.sep}`));
    expect(line).toMatch(/^ok +(Interpreter|Python) .*ipykernel 7\./);
  });
});
