/**
 * The app is killed: no kernel outlives it, whichever of the three watchers is left to see to that, and the next app clears up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endLeftovers, LeftoverRegistry } from '../../../main/kernels/direct/leftovers.ts';
import { processStart } from '../../../main/kernels/direct/process-table.ts';
import { endTree, readTree } from '../../../main/kernels/direct/process-tree.ts';
import { silentLog } from '../../../main/log/log.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';
import { eventually, HOST_SOURCE, isAlive } from './kernel-fixture.ts';

let folder: string;
let children: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-killed-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) if (child.pid) await endTree(child.pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function startApp(code: string): Promise<{ app: ChildProcess; host: number; kernels: number[] }> {
  const [parent, host] = await Promise.all([buildHostEntry('test/support/kernel-parent.ts'), buildHostEntry(HOST_SOURCE)]);
  const app = spawn(process.execPath, [parent, host, testPython(), folder, code], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  children.push(app);
  const { value: line } = await createInterface({ input: app.stdout as NodeJS.ReadableStream })
    [Symbol.asyncIterator]()
    .next();
  return { app, ...JSON.parse(line) };
}

function spawnSleeper(): number {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  children.push(child);
  return child.pid as number;
}

test('SIGKILL of the app while kernels are idle', async () => {
  const { app, host, kernels } = await startApp('');
  app.kill('SIGKILL');
  await eventually(() => ![host, ...kernels].some(isAlive));
});

test('SIGKILL of the app while kernels compute and have children of their own', async () => {
  const code = "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)\nwhile True: pass";
  const { app, host, kernels } = await startApp(code);
  let tree: number[] = [];
  await eventually(async () => {
    tree = (await Promise.all(kernels.map(readTree))).flat();
    return tree.length === 2 * kernels.length;
  });
  app.kill('SIGKILL');
  await eventually(() => ![host, ...tree].some(isAlive));
});

test('SIGKILL of the app and its host at once, while kernels hold the interpreter’s lock', async () => {
  // In one native call that never returns, ipykernel's own watch on its parent can't run.
  const { app, host, kernels } = await startApp('import ctypes; ctypes.PyDLL(None).sleep(1000)');
  process.kill(host, 'SIGKILL');
  app.kill('SIGKILL');
  await eventually(() => !kernels.some(isAlive));
});

test('SIGTERM, SIGINT and SIGHUP of the app end its kernels too', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const { app, host, kernels } = await startApp('');
    app.kill(signal);
    await eventually(() => ![host, ...kernels].some(isAlive));
  }
});

test('the next app ends what an app left behind, and removes its files', async () => {
  const { app, kernels } = await startApp('');
  const registry = (await readdir(folder)).find((name) => name.startsWith('cellwright-kernels-')) as string;
  const text = await readFile(path.join(folder, registry), 'utf8');
  app.kill('SIGKILL');
  await eventually(() => !kernels.some(isAlive));
  const files = await readdir(folder);
  expect(files.filter((name) => name.startsWith('kernel-'))).toHaveLength(2);
  expect(
    JSON.parse(text)
      .kernels.map(({ pid }: { pid: number }) => pid)
      .sort(),
  ).toEqual([...kernels].sort());
  await endLeftovers(folder, silentLog);
  expect(await readdir(folder)).toEqual([]);
});

test('a leftover is ended only when pid and start are those that were written down', async () => {
  const [left, stranger] = [spawnSleeper(), spawnSleeper()];
  const gone = spawn('true', { stdio: 'ignore' });
  const owner = { pid: gone.pid as number, start: 'long ago' };
  await new Promise((resolve) => gone.once('exit', resolve));
  const kernels = [
    { pid: left, start: await processStart(left), connectionFile: path.join(folder, 'kernel-a.json') },
    { pid: stranger, start: 'another start', connectionFile: path.join(folder, 'kernel-b.json') },
  ];
  await writeFile(path.join(folder, 'kernel-a.json'), '{}');
  await writeFile(path.join(folder, `cellwright-kernels-${owner.pid}.json`), JSON.stringify({ owner, kernels }));
  await writeFile(path.join(folder, 'cellwright-kernels-1.json'), '{"cut off');
  expect(await endLeftovers(folder, silentLog)).toBe(1);
  await eventually(() => !isAlive(left));
  expect(isAlive(stranger)).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test('the kernels of an app that lives are left alone', async () => {
  const kernel = spawnSleeper();
  const registry = new LeftoverRegistry(folder, silentLog);
  await registry.add(kernel, path.join(folder, 'kernel-a.json'));
  expect(await endLeftovers(folder, silentLog)).toBe(0);
  expect(isAlive(kernel)).toBe(true);
  await registry.remove(kernel);
  expect(await readdir(folder)).toEqual([]);
});
