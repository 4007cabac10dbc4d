#!/usr/bin/env node
/**
 * The command line. It opens the window, or runs a headless command from the built bundle without Electron.
 * In a package this file runs inside the app's own binary, which then is both the Node for commands and the Electron for the window.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HELP = `Usage:
  cellwright [files…]               open the window
  cellwright run in.ipynb [-o out.ipynb] [--timeout s] [--allow-errors]
                                    run a notebook without a window
  cellwright doctor [--json]        say what is found and how to fix what is missing
  cellwright mcp [--folder path] [--name name]
                                    the MCP server on stdin and stdout

Options:
  --help, -h                        this text
  --version                         the version
`;

const NOT_BUILT = 'Cellwright is not set up yet. Run `npm start` in its folder first.';

const HEADLESS = new Set(['run', 'doctor', 'mcp']);

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)));

process.exitCode = await dispatch(process.argv.slice(2));

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code; 2 is a wrong command line
 */
async function dispatch(args) {
  const [first] = args;
  if (first === '--help' || first === '-h') return say(HELP.trimEnd());
  if (first === '--version') return say(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version);
  if (first !== undefined && HEADLESS.has(first)) return runHeadless(args);
  const options = args.filter((argument) => argument.startsWith('-'));
  const unknown = options.length > 0 ? (loadBundle()?.unknownWindowOption(options) ?? null) : null;
  if (unknown) return complain(`Unknown option ${unknown}. \`cellwright --help\` lists the options.`, 2);
  return openWindow(options, args.filter((argument) => !argument.startsWith('-')).map(absolute));
}

/** @param {readonly string[]} args */
async function runHeadless(args) {
  const bundle = loadBundle();
  return bundle ? bundle.runCli(args, { root }) : complain(NOT_BUILT, 1);
}

/** @returns {typeof import('../main/cli/cli.ts') | undefined} undefined before the first build */
function loadBundle() {
  const bundle = path.join(root, 'dist', 'main', 'cli.cjs');
  return existsSync(bundle) ? createRequire(import.meta.url)(bundle) : undefined;
}

/**
 * @param {readonly string[]} options
 * @param {readonly string[]} files absolute paths, or addresses
 * @returns {Promise<number>} Electron's own exit code
 */
async function openWindow(options, files) {
  const missing = files.find((file) => !file.startsWith('file:') && !existsSync(file));
  if (missing) return complain(`${missing} does not exist.`, 1);
  const { ELECTRON_RUN_AS_NODE, ...env } = process.env;
  const args = [...options, ...files];
  const command = process.versions.electron ? { binary: process.execPath, args } : await repositoryCommand(args);
  if (typeof command === 'string') return complain(command, 1);
  const child = spawn(command.binary, command.args, { env, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(complain(`Electron could not be started: ${error.message}`, 1)));
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * The command in a clone of the repository; words for what is missing instead, when set-up has not run.
 * @param {readonly string[]} given
 * @returns {Promise<{ binary: string, args: string[] } | string>}
 */
async function repositoryCommand(given) {
  const { electronBinary } = await import('../scripts/electron-path.mjs');
  const { switchesFor, thisMachine } = await import('../scripts/electron-switches.mjs');
  const { hasDisplay } = await import('../scripts/display.mjs');
  const electron = electronBinary(root);
  if (!electron || !existsSync(path.join(root, 'dist', 'main', 'main.cjs')))
    return 'Cellwright is not set up yet. Run `npm start` in its folder first.';
  if (!hasDisplay()) return 'There is no display to open a window on. `npm start` in Cellwright’s folder opens it on a virtual one.';
  const { switches, warnings } = switchesFor(thisMachine(process.env, { isVirtual: false }));
  for (const warning of warnings) console.error(warning);
  return { binary: electron.path, args: [...switches, root, ...given] };
}

/** @param {string} file */
function absolute(file) {
  return file.startsWith('file:') ? file : path.resolve(file);
}

/** @param {string} text */
function say(text) {
  console.log(text);
  return 0;
}

/**
 * @param {string} text
 * @param {number} code
 */
function complain(text, code) {
  console.error(text);
  return code;
}
