/**
 * The shared gateway under real apps: windows of two profiles and a `cellwright run` share one, whoever goes first or is killed, and nothing of it
 * is left after the last.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { serverPython } from '../../support/jupyter-servers.ts';
import { cellKeys } from './edit-source.ts';
import { gatewayState, isRunning, kernelPids } from './processes.ts';
import {
  codeCell,
  endOf,
  makePlace,
  must,
  type RunningApp,
  readNotebook,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from './start-app.ts';

let python: string;
let places: TestPlace[];
let apps: RunningApp[];
let runtime: string;
let notebooks = 0;

beforeAll(async () => {
  python = await serverPython();
}, 900_000);

beforeEach(async () => {
  places = [await makePlace(), await makePlace()];
  apps = [];
  runtime = places[0]!.env.JUPYTER_RUNTIME_DIR!;
  const shared = {
    JUPYTER_RUNTIME_DIR: runtime,
    CELLWRIGHT_KERNEL_TRANSPORT: 'shared-gateway',
    CELLWRIGHT_SHARED_GATEWAY_PYTHON: python,
  };
  for (const place of places) Object.assign(place.env, shared);
});

afterEach(async () => {
  await Promise.all(apps.map((app) => stopApp(app)));
  await until(async () => (await gatewayState(runtime)) === null || !isRunning((await gatewayState(runtime))?.pid ?? 0));
  await Promise.all(places.map(removePlace));
});

async function start(index: number): Promise<RunningApp> {
  const app = await startApp(places[index]!);
  apps.push(app);
  return app;
}

interface Seen {
  gateway: number;
  kernel: number;
  docId: string;
  key: string;
}

const LOOK = 'import json, os\nn = globals().get("n", 0) + 1\nprint(json.dumps([os.getppid(), os.getpid(), n]))';

async function openAndRun(app: RunningApp, place: TestPlace): Promise<Seen> {
  notebooks += 1;
  const file = await writeNotebook(path.join(place.folder, `shared-${notebooks}.ipynb`), [codeCell(LOOK)]);
  const snapshot = await must(app.page, 'doc.open', { path: file });
  const { docId } = snapshot.document;
  const [key] = cellKeys(snapshot) as [string];
  const [gateway, kernel] = await runAgain(app, { docId, key });
  return { gateway, kernel, docId, key };
}

async function runAgain(app: RunningApp, { docId, key }: Pick<Seen, 'docId' | 'key'>): Promise<[number, number, number]> {
  await must(app.page, 'run.cells', { docId, keys: [key] });
  const [output] = (await must(app.page, 'doc.outputs', { docId, keys: [key] }))[key] ?? [];
  if (output?.type !== 'stream') throw new Error(`No output: ${JSON.stringify([output, await must(app.page, 'doc.attach', { docId })])}`);
  return JSON.parse(output.text);
}

it('is one for two windows and a command, and ends with the last of them', async () => {
  const one = await start(0);
  const first = await openAndRun(one, places[0]!);
  expect(first.gateway).toBe((await gatewayState(runtime))?.pid);
  const two = await start(1);
  const second = await openAndRun(two, places[1]!);
  expect(second.gateway).toBe(first.gateway);
  expect(second.kernel).not.toBe(first.kernel);

  const file = await writeNotebook(path.join(places[0]!.folder, 'command.ipynb'), [codeCell(LOOK)]);
  const command = spawn(process.execPath, [path.join(repository, 'bin', 'cellwright.mjs'), 'run', file], {
    env: places[0]!.env,
    stdio: 'ignore',
  });
  expect(await endOf(command)).toEqual({ code: 0, signal: null });
  const printed = (await readNotebook(file)).cells[0]!.outputs[0]!.text as string[];
  expect(JSON.parse(printed.join(''))[0]).toBe(first.gateway);

  await stopApp(one);
  await until(async () => !isRunning(first.kernel));
  expect(isRunning(first.gateway)).toBe(true);
  expect(await runAgain(two, second)).toEqual([second.gateway, second.kernel, 2]);
  await stopApp(two);
  await until(async () => ![first.gateway, second.kernel].some(isRunning));
  expect(await gatewayState(runtime)).toBeNull();
  expect(await readdir(path.join(runtime, 'cellwright-gateway', 'users'))).toEqual([]);
});

it('outlives a window that was killed, whose kernels end, and ends when the other is killed too', async () => {
  const one = await start(0);
  const first = await openAndRun(one, places[0]!);
  const two = await start(1);
  const second = await openAndRun(two, places[1]!);
  one.child.kill('SIGKILL');
  await until(async () => !isRunning(first.kernel));
  expect(isRunning(second.gateway)).toBe(true);
  expect(await runAgain(two, second)).toEqual([second.gateway, second.kernel, 2]);
  two.child.kill('SIGKILL');
  await until(async () => ![second.gateway, second.kernel].some(isRunning));
  await until(async () => (await readdir(path.join(runtime, 'cellwright-gateway', 'users'))).length === 0);
  expect(await readdir(path.join(runtime, 'cellwright-gateway'))).not.toContain('kernels');
  await until(async () => (await kernelPids(places.map(({ root }) => root))).length === 0);
});

it('that was killed is told of in the window, and a restart brings another', async () => {
  const app = await start(0);
  const { gateway, kernel, docId, key } = await openAndRun(app, places[0]!);
  process.kill(gateway, 'SIGKILL');
  const view = await until(async () => {
    const found = (await must(app.page, 'doc.attach', { docId })).kernel;
    return found.state === 'dead' ? found : null;
  });
  expect(view.message).toBe('The kernel ended with the gateway it ran in. Its variables are gone. Restart it to go on.');
  await until(async () => !isRunning(kernel));
  await must(app.page, 'kernel.restart', { docId });
  const [another, , count] = await runAgain(app, { docId, key });
  expect(another).not.toBe(gateway);
  expect(count).toBe(1);
});

it('is what doctor says', async () => {
  const app = await start(0);
  const doctor = async () => {
    const child = spawn(process.execPath, [path.join(repository, 'bin', 'cellwright.mjs'), 'doctor', '--json'], { env: places[0]!.env });
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
    });
    // Its exit may come before its last words.
    await once(child, 'close');
    return (JSON.parse(text) as { name: string; status: string; detail: string }[]).find(({ name }) => name === 'Kernels');
  };
  expect(await doctor()).toMatchObject({ status: 'ok', detail: expect.stringContaining(`which ${python} starts`) });
  const { gateway } = await openAndRun(app, places[0]!);
  expect(await doctor()).toEqual({
    name: 'Kernels',
    status: 'ok',
    detail: `run in the shared gateway, which runs as process ${gateway} with 1 kernels`,
  });
  expect(await readFile(path.join(places[0]!.profile, 'logs', 'cellwright.log'), 'utf8')).not.toContain(
    (await gatewayState(runtime))!.token,
  );
});
