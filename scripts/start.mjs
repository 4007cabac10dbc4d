/**
 * `npm start [-- files]`: sets up what is missing and opens the window.
 * It stays as the window's parent, so that Ctrl-C reaches it, its exit code is passed on, and a display started for it ends with it.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { hasDisplay, startDisplay } from './display.mjs';
import { sandboxProblem, switchesFor, thisMachine } from './electron-switches.mjs';
import { repository } from './setup/paths.mjs';
import { prepare } from './setup/prepare.mjs';
import { main, SetupError } from './setup/step.mjs';

await main(async () => {
  const needsXvfb = !hasDisplay();
  const { electron } = await prepare({ needsXvfb, forTests: false });
  const problem = sandboxProblem(electron.folder);
  if (problem) throw new SetupError(problem);
  const display = needsXvfb ? await startDisplay() : undefined;
  if (display) console.log(`No display was found: the window opens on a virtual one, DISPLAY=${display.display}.`);
  try {
    return await openWindow(electron.path, process.argv.slice(2), display ? { ...process.env, DISPLAY: display.display } : process.env);
  } finally {
    display?.stop();
  }
});

/**
 * Runs Electron until its last window closes.
 * @param {string} binary
 * @param {readonly string[]} given files, relative to where npm was called, and the app's own options
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} the exit code
 */
function openWindow(binary, given, environment) {
  const { switches, warnings } = switchesFor(thisMachine(environment));
  for (const warning of warnings) console.log(warning);
  const { ELECTRON_RUN_AS_NODE, ...env } = environment;
  const files = given.map((argument) => (argument.startsWith('-') ? argument : path.resolve(env.INIT_CWD ?? process.cwd(), argument)));
  return new Promise((resolve, reject) => {
    const child = spawn(binary, [...switches, repository, ...files], { env, stdio: 'inherit' });
    process.on('SIGTERM', () => child.kill());
    process.on('SIGHUP', () => child.kill());
    // A terminal sends Ctrl-C to the window as well; this process only has to outlive it.
    process.on('SIGINT', () => {});
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}
