/**
 * The Python environment the app owns, for people who have no Python with ipykernel.
 * Plain JavaScript on Node alone, because set-up imports it before anything is installed or built.
 * The hard thing is a half-made environment: only a stamp, written last, makes a folder count, and one maker works at a time.
 */
import { execFile, spawn } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { takeLock } from './lock-file.mjs';

/** What a notebook needs to run and to draw; the order is the order pip is told. */
export const MANAGED_PACKAGES = Object.freeze(['ipykernel', 'ipywidgets', 'matplotlib', 'pandas']);

/** Its presence says that every package was installed; without it the folder is made anew. */
const STAMP = 'cellwright-environment.json';

/** A first import may read a cold disk or be scanned by a virus checker; shorter limits call a good Python broken. */
const PROBE_TIMEOUT_MS = 15_000;

const PROBE = `
import importlib.metadata as m, importlib.util as u, json, sys
ok = all(u.find_spec(n) for n in ('ipykernel', 'jupyter_client', 'zmq'))
print(json.dumps({'version': m.version('ipykernel') if ok else None, 'python': '.'.join(map(str, sys.version_info[:3]))}))
`;

/** Making the environment failed; `code` says at which step, the message ends in what to do about it. */
export class ManagedEnvironmentError extends Error {
  /**
   * @param {'no-python' | 'no-venv' | 'install-failed' | 'busy'} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'ManagedEnvironmentError';
    /** @readonly */
    this.code = code;
  }
}

/**
 * The folder of the environment: one per user, beside the app's other data.
 * @param {NodeJS.Platform} [platform]
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [home]
 * @returns {string}
 */
export function managedEnvironmentFolder(platform = process.platform, env = process.env, home = homedir()) {
  const join = platform === 'win32' ? path.win32.join : path.posix.join;
  return join(dataFolder(platform, env, home, join), 'cellwright', 'python');
}

/**
 * The interpreter inside an environment folder.
 * @param {string} folder
 * @param {NodeJS.Platform} [platform]
 * @returns {string}
 */
export function managedPython(folder, platform = process.platform) {
  return platform === 'win32' ? path.win32.join(folder, 'Scripts', 'python.exe') : path.posix.join(folder, 'bin', 'python');
}

/**
 * Whether a Python can start a kernel. Never throws: a broken or missing interpreter gives null.
 * Runs in the file system's root, so that a file named like a module in the present folder can't change the answer.
 * @param {string} pythonPath
 * @returns {Promise<{ version: string, pythonVersion: string } | null>}
 */
export async function pythonHasIpykernel(pythonPath) {
  try {
    const cwd = path.parse(process.execPath).root;
    const found = JSON.parse(await capture(pythonPath, ['-c', PROBE], { cwd, timeout: PROBE_TIMEOUT_MS }));
    return typeof found.version === 'string' ? { version: found.version, pythonVersion: String(found.python) } : null;
  } catch {
    return null;
  }
}

/**
 * Makes the environment when it is missing or lacks one of the packages, and returns its Python.
 * Safe to call from several processes at once: the second waits for the first.
 * @param {{
 *   onProgress?: (line: string) => void,
 *   packages?: readonly string[],
 *   folder?: string,
 *   basePython?: string,
 *   signal?: AbortSignal,
 * }} [options] `packages` are pip requirements; `basePython` makes the environment (default: `python3` on the path).
 * @returns {Promise<string>}
 * @throws {ManagedEnvironmentError}
 */
export async function ensureManagedEnvironment(options = {}) {
  const { onProgress = () => {}, packages = MANAGED_PACKAGES, folder = managedEnvironmentFolder(), signal } = options;
  const python = managedPython(folder);
  if (await isComplete(folder, packages)) return python;
  await mkdir(path.dirname(folder), { recursive: true });
  const release = await takeLock(`${folder}.lock`, {
    onWait: () => onProgress('waiting for another Cellwright that makes the same environment'),
    signal,
  });
  if (!release) {
    throw new ManagedEnvironmentError(
      'busy',
      `Another Cellwright has been making ${folder} for long. If none runs, delete ${folder}.lock and try again.`,
    );
  }
  try {
    if (await isComplete(folder, packages)) return python;
    const tool = (await firstThatRuns(['uv'], ['--version'])) ? 'uv' : 'venv';
    const base = options.basePython ?? (await findBasePython());
    onProgress(`making a Python environment in ${folder}`);
    await rm(folder, { recursive: true, force: true });
    await makeEmpty(tool, base, folder, signal);
    await install(tool, python, packages, onProgress, signal);
    await writeFile(path.join(folder, STAMP), `${JSON.stringify({ packages: [...packages] }, null, 2)}\n`);
    return python;
  } finally {
    await release();
  }
}

/**
 * Whether a folder holds an environment made for at least these packages.
 * @param {string} folder
 * @param {readonly string[]} [packages]
 * @returns {Promise<boolean>}
 */
export async function isComplete(folder, packages = MANAGED_PACKAGES) {
  try {
    await access(managedPython(folder));
    const stamp = JSON.parse(await readFile(path.join(folder, STAMP), 'utf8'));
    return packages.every((name) => stamp.packages.includes(name));
  } catch {
    return false;
  }
}

/**
 * @param {NodeJS.Platform} platform
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 * @param {(...parts: string[]) => string} join
 */
function dataFolder(platform, env, home, join) {
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return env.XDG_DATA_HOME && path.posix.isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : join(home, '.local', 'share');
}

async function findBasePython() {
  const found = await firstThatRuns(process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'], [
    '-c',
    'import sys; assert sys.version_info >= (3, 9)',
  ]);
  if (found) return found;
  const how = process.platform === 'linux' ? 'for example `sudo apt-get install python3 python3-venv`' : 'from python.org';
  throw new ManagedEnvironmentError('no-python', `No Python 3.9 or newer was found. Install one, ${how}.`);
}

/**
 * @param {readonly string[]} commands
 * @param {readonly string[]} args
 */
async function firstThatRuns(commands, args) {
  for (const command of commands) {
    const works = await capture(command, args, { timeout: PROBE_TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
    if (works) return command;
  }
  return undefined;
}

/**
 * @param {'uv' | 'venv'} tool
 * @param {string} base
 * @param {string} folder
 * @param {AbortSignal | undefined} signal
 */
async function makeEmpty(tool, base, folder, signal) {
  const [command, args] = tool === 'uv' ? ['uv', ['venv', '--python', base, folder]] : [base, ['-m', 'venv', folder]];
  try {
    await stream(command, args, () => {}, signal);
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    const help =
      process.platform === 'linux'
        ? 'On Debian and Ubuntu install it with `sudo apt-get install python3-venv`.'
        : 'Reinstall Python with its venv module.';
    throw new ManagedEnvironmentError('no-venv', `${base} could not make a virtual environment. ${help}`, { cause });
  }
}

/**
 * @param {'uv' | 'venv'} tool
 * @param {string} python
 * @param {readonly string[]} packages
 * @param {(line: string) => void} onProgress
 * @param {AbortSignal | undefined} signal
 */
async function install(tool, python, packages, onProgress, signal) {
  const [command, args] =
    tool === 'uv'
      ? ['uv', ['pip', 'install', '--python', python, ...packages]]
      : [python, ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off', ...packages]];
  try {
    await stream(command, args, (line) => reportInstall(line, onProgress), signal);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const help = 'Check the network (and pip’s index settings) and try again.';
    throw new ManagedEnvironmentError('install-failed', `Installing ${packages.join(', ')} failed: ${reason}\n${help}`, { cause });
  }
}

/**
 * Of pip's many lines only the ones that say what is being waited for.
 * @param {string} line
 * @param {(line: string) => void} onProgress
 */
function reportInstall(line, onProgress) {
  const collecting = /^Collecting ([\w.-]+)/.exec(line);
  if (collecting) onProgress(`downloading ${collecting[1]}`);
  else if (/^(Installing collected packages|Prepared|Installed)/.test(line)) onProgress('installing');
}

/**
 * The environment a venv command needs: another environment's variables would send its packages elsewhere.
 * @returns {NodeJS.ProcessEnv}
 */
function cleanEnvironment() {
  const { PYTHONHOME, PYTHONPATH, VIRTUAL_ENV, PIP_USER, PIP_TARGET, PIP_PREFIX, ...rest } = process.env;
  return rest;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, timeout: number }} options
 * @returns {Promise<string>}
 */
function capture(command, args, options) {
  return new Promise((resolve, reject) => {
    execFile(command, args, { ...options, encoding: 'utf8', windowsHide: true }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}

/**
 * Runs to the end, a line at a time; a failure carries the last lines of stderr.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {(line: string) => void} onLine
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function stream(command, args, onLine, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, signal });
    let pending = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) onLine(line.trim());
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-2_000);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(errors.trim().split('\n').slice(-3).join('\n') || `${command} ended with code ${code}`));
    });
  });
}
