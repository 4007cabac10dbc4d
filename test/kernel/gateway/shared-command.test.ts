/**
 * The shared gateway under the real command line: `cellwright run` starts its kernel in it when the settings, a variable or an option say so, with
 * the same program and variables as on its own, and leaves nothing behind, however it ends.
 */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endTree } from '../../../main/kernels/direct/process-tree.ts';
import { SharedGateway } from '../../../main/kernels/gateway/shared-gateway.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import { serverPython } from '../../support/jupyter-servers.ts';
import { testPython } from '../../support/python.ts';
import { type Cli, notebookText, openCli } from '../execution/cli-fixture.ts';
import { eventually, isAlive, openBench, pythonSpec } from '../kernels/kernel-fixture.ts';
import { prepareServers, SET_UP_LIMIT_MS } from './transports.ts';

let cli: Cli;
let python: string;
let runtime: string;
let env: Record<string, string>;
let notebooks = 0;

beforeAll(async () => {
  await prepareServers();
  [cli, python] = await Promise.all([openCli(), serverPython()]);
}, SET_UP_LIMIT_MS);

afterAll(() => cli?.close());

beforeEach(async () => {
  runtime = await mkdtemp(path.join(tmpdir(), 'cellwright-shared-command-'));
  env = {
    JUPYTER_RUNTIME_DIR: runtime,
    CELLWRIGHT_KERNEL_TRANSPORT: 'shared-gateway',
    CELLWRIGHT_SHARED_GATEWAY_PYTHON: python,
  };
});

afterEach(async () => {
  const state = await gatewayState();
  if (state) await endTree(state.pid, 'SIGKILL');
  await rm(runtime, { recursive: true, force: true });
});

async function gatewayState(): Promise<{ pid: number } | null> {
  return JSON.parse(await readFile(path.join(runtime, 'cellwright-gateway', 'gateway.json'), 'utf8').catch(() => 'null'));
}

async function notebook(...sources: string[]): Promise<string> {
  notebooks += 1;
  const file = path.join(cli.folder, `shared-${notebooks}.ipynb`);
  await writeFile(file, notebookText(sources));
  return file;
}

/** What the first cell printed, as JSON. */
async function printed<T>(file: string): Promise<T> {
  const [cell] = JSON.parse(await readFile(file, 'utf8')).cells;
  return JSON.parse((cell.outputs[0].text as string[]).join(''));
}

/** Prints what a kernel sees of itself. */
const LOOK = `import json, os, sys
names = ["ARTIFACTS", "DOLLARS", "OPENAI_API_KEY", "VIRTUAL_ENV", "PATH"]
print(json.dumps({"parent": os.getppid(), "program": sys.executable, "folder": os.getcwd(), **{n: os.environ.get(n) for n in names}}))`;

interface Look {
  parent: number;
  program: string;
  folder: string;
  ARTIFACTS: string;
}

describe('cellwright run in the shared gateway', () => {
  it('gives the kernel what a kernel of its own has, and ends the gateway after it', async () => {
    const more = { DOLLARS: ['a $HOME ', '{HOME} ', '$'].join('$'), OPENAI_API_KEY: 'not-for-kernels' };
    const file = await notebook(LOOK);
    expect(await cli.run([file], { env: { ...env, ...more, CELLWRIGHT_KERNEL_TRANSPORT: 'direct' } })).toMatchObject({ code: 0 });
    const own = await printed<Look>(file);
    expect(await gatewayState()).toBeNull();
    expect(await cli.run([file], { env: { ...env, ...more } })).toMatchObject({ code: 0 });
    const shared = await printed<Look>(file);
    expect(shared.parent).not.toBe(own.parent);
    expect({ ...shared, parent: 0 }).toEqual({ ...own, parent: 0 });
    expect(own).toMatchObject({ folder: cli.folder, DOLLARS: more.DOLLARS, OPENAI_API_KEY: null });
    expect(own.ARTIFACTS).toContain(path.join(cli.folder, 'profile', 'artifacts'));
    expect(isAlive(shared.parent)).toBe(false);
    expect(await readdir(path.join(runtime, 'cellwright-gateway', 'users'))).toEqual([]);
    expect(await readdir(path.join(runtime, 'cellwright-gateway'))).not.toContain('kernels');
  });

  it('is one for two runs, and stays until the last has ended', async () => {
    const mark = path.join(runtime, 'the second has run');
    const first = await notebook(`${LOOK}\nimport time\nwhile not os.path.exists(${JSON.stringify(mark)}): time.sleep(0.05)`);
    const second = await notebook(LOOK);
    const running = cli.run([first], { env });
    await eventually(async () => (await gatewayState()) !== null);
    expect(await cli.run([second], { env })).toMatchObject({ code: 0 });
    const { parent } = await printed<Look>(second);
    expect(isAlive(parent)).toBe(true);
    await writeFile(mark, '');
    expect(await running).toMatchObject({ code: 0 });
    expect((await printed<Look>(first)).parent).toBe(parent);
    expect(isAlive(parent)).toBe(false);
  });

  it('is what the settings of the profile say, and an option says otherwise', async () => {
    const profile = path.join(runtime, 'profile');
    await mkdir(profile);
    await writeFile(
      path.join(profile, 'settings.json'),
      JSON.stringify({ kernelTransport: 'shared-gateway', sharedGatewayPython: python }),
    );
    const onlyProfile = { JUPYTER_RUNTIME_DIR: runtime, CELLWRIGHT_PROFILE: profile };
    const file = await notebook(
      'import os, pathlib\nprint(pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_text().count("shared gateway"))',
    );
    expect(await cli.run([file], { env: onlyProfile })).toMatchObject({ code: 0 });
    expect(await printed(file)).toBe(1);
    expect(await cli.run([file, '--kernel-transport', 'direct'], { env: onlyProfile })).toMatchObject({ code: 0 });
    expect(await printed(file)).toBe(0);
    expect(await cli.run([file, '--kernel-transport', 'sideways'], { env: onlyProfile })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--kernel-transport sideways is not used'),
    });
  });

  it('leaves nothing behind when it is killed', async () => {
    const file = await notebook('print(1)', 'while True: pass');
    let killed = false;
    const killing = cli.run([file], {
      env,
      onStderr: (text, kill) => {
        if (!killed && text.includes('[1/2] done')) killed = true;
        if (killed) kill('SIGKILL');
      },
    });
    await eventually(async () => (await gatewayState()) !== null);
    const gateway = (await gatewayState())?.pid ?? 0;
    await killing;
    expect(killed).toBe(true);
    await eventually(async () => !isAlive(gateway) && (await kernelsOf(gateway)).length === 0);
    await eventually(async () => (await readdir(path.join(runtime, 'cellwright-gateway', 'users'))).length === 0);
    const left = (await readdir(runtime)).filter((name) => name.startsWith('kernel-'));
    expect(left).toEqual([]);
    // Who comes next finds a place like new.
    expect(await cli.run([await notebook('print(2)')], { env })).toMatchObject({ code: 0 });
  });

  it('says why a kernel did not start in it, in the kernel’s own words', async () => {
    const spec = path.join(cli.folder, 'jupyter', 'kernels', 'broken');
    await mkdir(spec, { recursive: true });
    const argv = [testPython(), '-c', 'import sys; sys.exit("this kernel is broken")', '{connection_file}'];
    await writeFile(path.join(spec, 'kernel.json'), JSON.stringify({ argv, display_name: 'Broken', language: 'python' }));
    const { code, stderr } = await cli.run([await notebook('1'), '--kernel', 'broken'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('this kernel is broken');
  });

  it('says what to do when its Python has no server', async () => {
    const { code, stderr } = await cli.run([await notebook('1')], { env: { ...env, CELLWRIGHT_SHARED_GATEWAY_PYTHON: testPython() } });
    expect(code).toBe(3);
    expect(stderr).toContain(`Run \`${testPython()} -m pip install jupyter_server\``);
  });

  it('gets a gateway of its own when the one that runs has no descriptors left', async () => {
    const narrow = path.join(runtime, 'python');
    await writeFile(narrow, `#!/bin/sh\nulimit -n 100\nexec "${python}" "$@"\n`);
    await chmod(narrow, 0o755);
    const shared = new SharedGateway({ python: narrow, runtimeFolder: runtime });
    const bench = await openBench();
    const kernels: Kernel[] = [];
    try {
      for (let full = false; !full; ) {
        await bench.manager.start({ spec: pythonSpec(), cwd: runtime, gateway: () => shared.target(), startTimeoutMs: 30_000 }).then(
          (kernel) => kernels.push(kernel),
          () => {
            full = true;
          },
        );
      }
      expect(kernels.length).toBeGreaterThan(0);
      const gateway = (await gatewayState())?.pid;
      const file = await notebook(LOOK);
      expect(await cli.run([file], { env: { ...env, CELLWRIGHT_SHARED_GATEWAY_PYTHON: narrow } })).toMatchObject({ code: 0 });
      expect((await printed<Look>(file)).parent).not.toBe(gateway);
      // What ran in the full one is told so.
      await eventually(() => kernels.every(({ state }) => state === 'dead'));
    } finally {
      await bench.close();
      await shared.leave();
    }
  });
});

/** Pids of the processes whose parent is this one. */
async function kernelsOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return pids
    .map(Number)
    .filter((_pid, index) => Number(parents[index]?.slice(parents[index].lastIndexOf(')') + 2).split(' ')[1]) === parent);
}
