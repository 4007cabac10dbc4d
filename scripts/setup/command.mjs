/**
 * Running other programs during set-up. Their output is kept back and shown only when they fail: a person sees one line per step.
 */
import { spawn } from 'node:child_process';

/** Enough of a failed command's end to see why; a whole log would bury the message. */
const KEPT_CHARACTERS = 6_000;

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, shell?: boolean, onLine?: (line: string) => void }} [options]
 * @returns {Promise<{ code: number | null, output: string }>} `code` is null when the program could not be started or was killed;
 *   `output` is the end of stdout and stderr together
 */
export function run(program, args, options = {}) {
  const { cwd, env, timeoutMs, shell, onLine = () => {} } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, shell, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    let pending = '';
    const take = (/** @type {string} */ text) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
      const lines = (pending + text).split(/[\r\n]+/);
      pending = lines.pop() ?? '';
      for (const line of lines) if (line.trim()) onLine(line.trim());
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output: output.trim() }));
  });
}

/**
 * How npm is run: by the Node and the npm that already run when started through npm, so that no shell and no other version comes in.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ program: string, args: string[], shell: boolean }}
 */
export function npmCommand(args, env = process.env) {
  const script = env.npm_execpath;
  if (script && /npm-cli\.[cm]?js$/.test(script)) return { program: process.execPath, args: [script, ...args], shell: false };
  return { program: 'npm', args: [...args], shell: process.platform === 'win32' };
}

/**
 * What npm says about a failure, without its stacks, codes and log files: at most three lines.
 * @param {string} output
 * @returns {string}
 */
export function npmReason(output) {
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s?/, ''));
  const telling = lines.filter(
    (line) => /^\S/.test(line) && !/^(code|errno|syscall|A complete log|\}|npm (warn|notice)|If you are behind)/.test(line),
  );
  return (telling.length > 0 ? telling.slice(0, 3) : lines.slice(-3)).join('\n');
}
