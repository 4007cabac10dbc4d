/** What a login shell is asked and what is taken over, with real shells whose files do what people's files do. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellFindings } from '../../../main/cli/shell-findings.ts';
import { listProcesses } from '../../../main/kernels/direct/process-table.ts';
import { askLoginShell, isFromDesktop, newVariables } from '../../../main/kernels/discovery/login-shell.ts';
import { ShellEnvironment } from '../../../main/kernels/discovery/shell-environment.ts';
import { silentLog } from '../../../main/log/log.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'cellwright shell-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const BASH = '/bin/bash';
/** What a desktop gives. */
const bare = (): Record<string, string> => ({ HOME: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' });
const profile = (...lines: string[]) => writeFile(path.join(home, '.bash_profile'), `${lines.join('\n')}\n`);

describe('a login shell', () => {
  it('gives what its files export, letter for letter', async () => {
    await profile('export LINES_OF="a\nb"', 'export WORDS="it\'s “ü” \\$X"', 'export PATH="$HOME/my tools:$PATH"', 'NOT_EXPORTED=1');
    const said = await askLoginShell(BASH, bare());
    expect(said).toMatchObject({ LINES_OF: 'a\nb', WORDS: "it's “ü” $X", PATH: expect.stringMatching(/^\/.*\/my tools:\//) });
    expect(said).not.toHaveProperty('NOT_EXPORTED');
  });

  it.each([
    ['print much', 'for i in $(seq 20000); do echo "{\\"PATH\\": \\"noise $i\\"}"; done; echo noise >&2'],
    ['take their time', 'sleep 0.5'],
    ['read from the terminal', 'read -t 5 answer; stty sane 2>/dev/null'],
    ['fail', 'false; nosuchcommand; cd /nosuchfolder'],
    ['leave a program behind that holds their output', 'sleep 30 &'],
    ['are for an interactive shell', '[[ $- == *i* ]] || exit 1'],
  ])('is heard when its files %s', async (_name, line) => {
    await profile('export MINE=1', line);
    expect(await askLoginShell(BASH, bare())).toMatchObject({ MINE: '1' });
  });

  it('is not ended by its answer: what its files left running goes on', async () => {
    await profile('sleep 30 & echo $! > "$HOME/pid"');
    await askLoginShell(BASH, bare());
    const pid = Number(await readFile(path.join(home, 'pid'), 'utf8'));
    const entry = async (of: number) => (await listProcesses()).find((one) => one.pid === of && !one.zombie);
    // The shell itself is gone by then.
    await expect
      .poll(async () => (await listProcesses()).some(({ parent, name, zombie }) => parent === process.pid && name === 'bash' && !zombie))
      .toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await entry(pid)).toMatchObject({ name: 'sleep' });
    process.kill(pid, 'SIGKILL');
  });

  it('may be sh', async () => {
    await writeFile(path.join(home, '.profile'), 'export MINE=1\n');
    expect(await askLoginShell('/bin/sh', bare())).toMatchObject({ MINE: '1' });
  });

  it.each([
    ['end it', 'exit 3', 60_000, 'gave no variables before it ended (code 3)'],
    ['never end', 'sleep 61.5', 700, 'gave no variables within 0.7 seconds'],
    ['print without end', 'yes', 60_000, 'prints without end and gave no variables'],
  ])('says so when its files %s, and is not left running', async (_name, line, limitMs, what) => {
    await profile(line);
    await expect(askLoginShell(BASH, bare(), limitMs)).rejects.toThrow(
      `${BASH} ${what}. To have them, mend the files that it starts with, or start Cellwright from a terminal.`,
    );
    const left = async () =>
      (await listProcesses()).filter(({ parent, name, zombie }) => parent === process.pid && name === 'bash' && !zombie);
    await expect.poll(left).toEqual([]);
  });

  it.each([
    ['is not there', '/nosuch/zsh', '/nosuch/zsh could not be started for its variables (ENOENT)'],
    ['is of an unknown kind', '/usr/bin/xonsh', '/usr/bin/xonsh can’t be asked for its variables'],
  ])('says so when it %s', async (_name, shell, what) => {
    await expect(askLoginShell(shell, bare())).rejects.toThrow(what);
  });
});

it.each<[NodeJS.Platform, Record<string, string>, boolean]>([
  ['darwin', {}, true],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { TERM: '' }, true],
  ['darwin', { TERM: 'xterm-256color' }, false],
  ['win32', {}, false],
])('on %s with %j a desktop has started it: %s', (platform, env, expected) => {
  expect(isFromDesktop(platform, env)).toBe(expected);
});

it('what differs is taken over, and nothing that is the shell’s or this program’s own', () => {
  const own = { PATH: '/bin', LANG: 'C', HOME: '/home/me', GONE: '1' };
  const shell = {
    PATH: '/opt/bin:/bin',
    LANG: 'C',
    HOME: '/home/me',
    X: '1',
    _: '/bin/env',
    SHLVL: '1',
    PWD: '/',
    OLDPWD: '/',
    TERM: 'dumb',
  };
  const ours = { ELECTRON_RUN_AS_NODE: '1', CELLWRIGHT_MARK: 'x', NODE_CHANNEL_FD: '3' };
  expect(newVariables(own, { ...shell, ...ours })).toEqual({ PATH: '/opt/bin:/bin', X: '1' });
});

describe('the variables of a program that a desktop has started', () => {
  const environment = (env: NodeJS.ProcessEnv, ask: 'auto' | 'off' = 'auto') =>
    new ShellEnvironment({ ask, env, platform: 'linux', log: silentLog });

  it('have the shell’s in them', async () => {
    await profile('export MINE=1');
    const asked = environment({ ...bare(), SHELL: BASH });
    expect(await asked.variables()).toMatchObject({ MINE: '1', HOME: home });
    expect(asked.problem).toBeNull();
  });

  it.each<[string, Record<string, string>, 'auto' | 'off']>([
    ['a terminal has started it', { TERM: 'xterm' }, 'auto'],
    ['the person does not want it', {}, 'off'],
  ])('are its own when %s', async (_name, more, ask) => {
    await profile('export MINE=1');
    expect(await environment({ ...bare(), SHELL: BASH, ...more }, ask).variables()).not.toHaveProperty('MINE');
  });

  it('are its own when the shell does not answer, and why is said', async () => {
    await profile('exit 1');
    const asked = environment({ ...bare(), SHELL: BASH });
    expect(await asked.variables()).toMatchObject(bare());
    expect(asked.problem).toContain('gave no variables before it ended (code 1)');
  });
});

describe('doctor', () => {
  it('names what the shell sets, and no values', async () => {
    await profile('export SECRET=hunter2', 'export PATH="$HOME/bin:$PATH"');
    const [finding] = await shellFindings('auto', { ...bare(), SHELL: BASH, TERM: 'xterm', SECRET: 'hunter2' }, 'linux');
    expect(finding).toMatchObject({ status: 'ok', name: 'Login shell' });
    expect(finding?.detail).toMatch(
      /^\/bin\/bash sets PATH, SECRET( and \d+ more)? \(\d+\.\d s\); used where Cellwright is started without a terminal$/,
    );
  });

  it('says how to mend a shell that does not answer', async () => {
    await profile('exit 1');
    expect(await shellFindings('auto', { ...bare(), SHELL: BASH }, 'linux')).toMatchObject([
      { status: 'missing', fix: 'mend the files that it starts with, or start Cellwright from a terminal' },
    ]);
  });

  it('asks nobody when that is off, nor on Windows', async () => {
    expect(await shellFindings('off', { SHELL: '/nosuch/bash' }, 'linux')).toMatchObject([{ status: 'ok' }]);
    expect(await shellFindings('auto', {}, 'win32')).toEqual([]);
  });
});
