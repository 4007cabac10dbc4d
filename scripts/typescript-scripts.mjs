/**
 * Runs single TypeScript files that are neither app nor test: benchmarks and fault campaigns.
 * Each is bundled first, since the oldest supported Node doesn't read TypeScript, and then run in a process of its own, so that one's
 * memory and leftovers don't count for the next.
 */
import { spawn } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { repository } from './setup/paths.mjs';

/** Two folders below the repository, as scripts/setup is: a bundled module that finds the repository from its own place still does. */
const OUTPUT = path.join('.cache', 'scripts');

/**
 * The files with an ending under a folder, sorted; `words` keeps those whose path has one of them.
 * @param {string} folder relative to the repository
 * @param {string} ending
 * @param {readonly string[]} words
 * @returns {Promise<string[]>} relative to the repository
 */
export async function findScripts(folder, ending, words) {
  const names = await readdir(path.join(repository, folder), { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith(ending)).map((name) => path.join(folder, name));
  return files.filter((file) => words.length === 0 || words.some((word) => file.includes(word))).sort();
}

/**
 * Bundles and runs each file, one after the other, with its output shown.
 * @param {readonly string[]} files relative to the repository
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string[]>} those that failed
 */
export async function runScripts(files, args, env) {
  const { build } = await import('esbuild');
  const { nodeBundleOptions } = await import('./build.mjs');
  const outdir = path.join(repository, OUTPUT);
  await rm(outdir, { recursive: true, force: true });
  const failed = [];
  for (const file of files) {
    const outfile = path.join(outdir, `${file.replaceAll(path.sep, '-').replace(/\.ts$/, '')}.mjs`);
    await build({ ...nodeBundleOptions(), entryPoints: [file], outfile, format: 'esm', target: 'node20.18', packages: 'external' });
    console.log(`\n${file}`);
    if ((await runNode([outfile, ...args], env)) !== 0) failed.push(file);
  }
  return failed;
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
function runNode(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--enable-source-maps', '--expose-gc', ...args], { cwd: repository, env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
