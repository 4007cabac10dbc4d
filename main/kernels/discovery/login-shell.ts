/**
 * The variables that a terminal of the person would have: what a desktop starts has none of what their shell's files set, neither PATH nor the
 * variables of their work. The shell is asked as a terminal would start it (a login shell, interactive), and its own words are told from what its
 * files print by a mark. Those files may be slow, print anything, leave programs behind or never end, so the wait has a limit. Linux and macOS.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';

/** Version managers that start a program or two in the shell's files take one to two seconds, on a busy machine more. */
const LIMIT_MS = 10_000;

/** Of what the shell's files print: more is an endless loop. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** By the shell's name. Two variables in place of a program and its code: shells differ in how they quote. */
const ASK = '"$CELLWRIGHT_PROGRAM" -e "$CELLWRIGHT_CODE"';
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  bash: ['-l', '-i', '-c', ASK],
  dash: ['-l', '-i', '-c', ASK],
  fish: ['-l', '-i', '-c', ASK],
  ksh: ['-l', '-i', '-c', ASK],
  sh: ['-l', '-i', '-c', ASK],
  zsh: ['-l', '-i', '-c', ASK],
  // These take no other option beside the one for a login shell.
  csh: ['-i', '-c', ASK],
  tcsh: ['-i', '-c', ASK],
};

/** Run by this program as Node, whose own variables are those of the shell. */
const CODE = 'const { CELLWRIGHT_MARK: mark, ...env } = process.env; process.stdout.write(mark + JSON.stringify(env) + mark);';

/** The shell gave no answer; the message is for the person and ends in what to do, which `fix` has alone. */
export class LoginShellError extends Error {
  override name = 'LoginShellError';
  readonly what: string;
  readonly fix: string;

  constructor(what: string, fix: string) {
    super(`${what}. To have them, ${fix}.`);
    this.what = what;
    this.fix = fix;
  }
}

const FROM_TERMINAL = 'start Cellwright from a terminal';

/** Of one shell: of where it is, of this window or terminal, and of this program. None of them is for another program. */
const OF_ITS_OWN = /^(_|SHLVL|PWD|OLDPWD|TERM(_.*)?|COLORTERM|COLUMNS|LINES|ELECTRON_.*|NODE_CHANNEL_.*|CELLWRIGHT_.*)$/;

/** Whether a desktop, and no terminal, has started this program. Pure. */
export function isFromDesktop(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): boolean {
  return platform !== 'win32' && !env.TERM;
}

/** What the shell has that `own` lacks or has otherwise. Pure. */
export function newVariables(
  own: Readonly<Record<string, string | undefined>>,
  shell: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(shell).filter(([name, value]) => !OF_ITS_OWN.test(name) && own[name] !== value));
}

/** All variables that `shell`, a path, has after its files. Throws LoginShellError. */
export async function askLoginShell(
  shell: string,
  env: Readonly<Record<string, string | undefined>>,
  limitMs = LIMIT_MS,
): Promise<Record<string, string>> {
  const name = path.basename(shell);
  const args = ARGUMENTS[name];
  if (!args) throw new LoginShellError(`${shell} can’t be asked for its variables`, FROM_TERMINAL);
  const mark = `<${randomUUID()}>`;
  const program = { CELLWRIGHT_PROGRAM: process.execPath, CELLWRIGHT_CODE: CODE, CELLWRIGHT_MARK: mark, ELECTRON_RUN_AS_NODE: '1' };
  const said = await output(shell, args, { ...env, ...program }, mark, limitMs);
  return JSON.parse(said) as Record<string, string>;
}

/** What stands between the two marks. */
function output(shell: string, args: readonly string[], env: NodeJS.ProcessEnv, mark: string, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // In a session of its own: an interactive shell would take a terminal over, and be stopped for that.
    const child = spawn(shell, args, { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    let read = 0;
    let text = '';
    let hasBegun = false;
    const over = (): void => {
      clearTimeout(limit);
      // What its files left running may hold the other end for ever.
      child.stdout.destroy();
      child.removeAllListeners('close');
      child.unref();
    };
    const fail = (what: string): void => {
      over();
      reject(new LoginShellError(`${shell} ${what}`, `mend the files that it starts with, or ${FROM_TERMINAL}`));
    };
    const stop = (what: string): void => {
      fail(what);
      endGroup(child.pid);
    };
    const limit = setTimeout(() => stop(`gave no variables within ${limitMs / 1000} seconds`), limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk.length;
      text += chunk;
      const begin = hasBegun ? -1 : text.indexOf(mark);
      if (begin >= 0) text = text.slice(begin + mark.length);
      // Of what its files print, only the beginning of a mark may matter.
      else if (!hasBegun) text = text.slice(-mark.length);
      hasBegun ||= begin >= 0;
      const end = hasBegun ? text.indexOf(mark) : -1;
      if (end < 0 && read > MAX_CHARACTERS) stop('prints without end and gave no variables');
      if (end < 0) return;
      over();
      resolve(text.slice(0, end));
    });
    child.on('error', (error) =>
      fail(`could not be started for its variables (${(error as NodeJS.ErrnoException).code ?? error.message})`),
    );
    child.on('close', (code, signal) => fail(`gave no variables before it ended (${signal ?? `code ${code}`})`));
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
