/**
 * A display for Electron where there is none. Xvfb picks a free number itself and tells it through a pipe once it listens, so there is
 * neither a guess at a number nor a wait of a fixed time.
 */
import { spawn } from 'node:child_process';

/** Xvfb answers within a fraction of a second; without an end to the wait a broken one would hang the start. */
const START_TIMEOUT_MS = 15_000;

const SCREEN = '1600x1000x24';

/**
 * Whether this environment has a display to show a window on.
 * @param {NodeJS.Platform} [platform]
 * @param {NodeJS.ProcessEnv} [env]
 */
export function hasDisplay(platform = process.platform, env = process.env) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * Starts Xvfb. Call `stop` when its windows are closed; at the latest it ends with this process.
 * @returns {Promise<{ display: string, stop: () => Promise<void> }>} `display` is the value for DISPLAY
 * @throws when Xvfb can't be started
 */
export function startDisplay() {
  return new Promise((resolve, reject) => {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp', '-noreset'], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // Out of the terminal's process group: Ctrl-C must not take the display from a window that is still saving.
      detached: true,
    });
    process.once('exit', () => server.kill());
    let said = '';
    let number = '';
    const timer = setTimeout(() => fail('it did not answer'), START_TIMEOUT_MS);
    const fail = (/** @type {string} */ why) => {
      clearTimeout(timer);
      server.kill();
      reject(new Error(`Xvfb could not be started: ${why}. ${said.trim()}`));
    };
    server.on('error', (error) => fail(error.message));
    server.on('exit', (code) => fail(`it ended with code ${code}`));
    server.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
    server.stdio[3]?.on('data', (chunk) => {
      number += chunk;
      if (!number.includes('\n')) return;
      clearTimeout(timer);
      resolve({ display: `:${number.trim()}`, stop: () => end(server) });
    });
  });
}

/**
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<void>} settles when the process is gone
 */
function end(server) {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.once('exit', () => resolve());
    server.kill();
  });
}
