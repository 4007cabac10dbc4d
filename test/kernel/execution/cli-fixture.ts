/**
 * `cellwright run` as a process of its own, from bundles like the app's, with a Jupyter folder that has one kernelspec `test` for the tests' Python.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { nodeBundleOptions } from '../../../scripts/build.mjs';
import { testPython } from '../../support/python.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Cli {
  /** A folder for notebooks. */
  folder: string;
  run(
    args: readonly string[],
    options?: { env?: Record<string, string>; onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void },
  ): Promise<CliRun>;
  close(): Promise<void>;
}

export async function openCli(): Promise<Cli> {
  // Below node_modules, so that the bundles find `zeromq`.
  const cache = path.join(ROOT, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const root = await mkdtemp(path.join(cache, 'cellwright-cli-'));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-run-'));
  const bundle = (name: string, entry: string) =>
    build({ ...nodeBundleOptions(), entryPoints: [path.join(ROOT, entry)], outfile: path.join(root, 'dist', 'main', name) });
  await Promise.all([bundle('cli.cjs', 'main/cli/cli.ts'), bundle('host.cjs', 'main/host.ts')]);
  const start = path.join(root, 'start.cjs');
  await writeFile(
    start,
    `require('./dist/main/cli.cjs').runCli(process.argv.slice(2), { root: __dirname }).then((code) => { process.exitCode = code; });\n`,
  );
  const spec = path.join(folder, 'jupyter', 'kernels', 'test');
  await mkdir(spec, { recursive: true });
  const argv = [testPython(), '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await writeFile(path.join(spec, 'kernel.json'), JSON.stringify({ argv, display_name: 'Test', language: 'python' }));
  return {
    folder,
    run: (args, { env = {}, onStderr } = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [start, 'run', ...args], {
          cwd: folder,
          env: { ...process.env, JUPYTER_PATH: path.join(folder, 'jupyter'), CELLWRIGHT_PROFILE: path.join(folder, 'profile'), ...env },
        });
        let stdout = '';
        let stderr = '';
        child.stdout.on('data', (data: Buffer) => {
          stdout += data.toString();
        });
        child.stderr.on('data', (data: Buffer) => {
          stderr += data.toString();
          onStderr?.(stderr, (signal) => child.kill(signal));
        });
        child.on('error', reject);
        child.on('close', (code) => resolve({ code, stdout, stderr }));
      }),
    close: async () => {
      await Promise.all([rm(root, { recursive: true, force: true }), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Text of a notebook file with these code cells. */
export function notebookText(
  sources: readonly string[],
  metadata: Record<string, unknown> = { kernelspec: { name: 'test', display_name: 'Test' } },
): string {
  const cells = sources.map((source, index) => ({
    cell_type: 'code',
    execution_count: null,
    id: `cell-${index}`,
    metadata: {},
    outputs: [],
    source: source.split(/(?<=\n)/),
  }));
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}
