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
    const env = display ? { ...process.env, DISPLAY: display.display } : process.env;
    const { switches, warnings } = switchesFor(thisMachine(env, { isVirtual: Boolean(display) }));
    for (const warning of warnings) console.log(warning);
    return await openWindow(electron.path, [...switches, repository, ...absoluteFiles(process.argv.slice(2))], env);
  } finally {
    await display?.stop();
  }
});

/**
 * Runs Electron until its last window closes.
 * @param {string} binary
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} the exit code
 */
function openWindow(binary, args, environment) {
  const { ELECTRON_RUN_AS_NODE, ...env } = environment;
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { env, stdio: 'inherit' });
    process.on('SIGTERM', () => child.kill());
    process.on('SIGHUP', () => child.kill());
    // A terminal sends Ctrl-C to the window as well; this process only has to outlive it.
    process.on('SIGINT', () => {});
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Files are named relative to where npm was called, which npm leaves before it runs this; options and addresses are passed on as they are.
 * @param {readonly string[]} given
 */
function absoluteFiles(given) {
  const folder = process.env.INIT_CWD ?? process.cwd();
  return given.map((argument) => (/^(-|file:)/.test(argument) ? argument : path.resolve(folder, argument)));
}
