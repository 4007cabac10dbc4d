/**
 * Functions that use helpers, sent to processes that have none: cloudpickle and dill send the code along. Only the environment of
 * ipykernel 6 has these packages; what they do does not depend on the kernel's version.
 */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initCode, preludeCode } from '../../../main/execution/prelude/prelude.ts';
import { ipykernel6Python } from '../../support/kernel-pythons.ts';
import { DrivenKernel } from './kernel-driver.ts';

let kernel: DrivenKernel;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-workers-')));
  await writeFile(path.join(folder, 'a.txt'), 'one\n');
  kernel = await DrivenKernel.start(await ipykernel6Python());
  await kernel.execute(initCode({ cwd: folder, env: { ARTIFACTS: path.join(folder, 'artifacts') } }), { silent: true });
  await kernel.execute(preludeCode(), { silent: true });
}, 600_000);

afterAll(async () => {
  await kernel?.close();
  await rm(folder, { recursive: true, force: true });
});

test('a function sent by value works in a process without helpers', async () => {
  const done = await kernel.execute(`
import cloudpickle, subprocess, sys
def work():
    replace("a.txt", "one", "two")
    return read("a.txt"), [tuple(m) for m in grep("two", "a.txt")], run("echo three").stdout, tree().split("\\n")[0], save_artifact("x", "x.txt").id
sent = cloudpickle.dumps(work)
worker = subprocess.run([sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer)())"], input=sent, capture_output=True)
print(worker.stdout.decode(), worker.stderr.decode())
`);
  expect(done.stdout.trim()).toBe("('two\\n', [(1, 'two')], 'three\\n', './', 0)");
});

test('every helper can be sent', async () => {
  const done = await kernel.execute(
    'len([cloudpickle.loads(cloudpickle.dumps(v)) for v in list(globals().values()) if getattr(v, "__module__", "") == "__main__"])',
  );
  expect(done).toMatchObject({ status: 'ok', result: '29' });
});

test('a session can be saved and loaded again', async () => {
  expect(await kernel.execute('kept = 5\nimport dill; dill.dump_module("session.pkl")')).toMatchObject({ status: 'ok' });
  const done = await kernel.execute('%reset -f\nimport dill; dill.load_module("session.pkl"); kept, read("a.txt")');
  expect(done.result).toBe("(5, 'two\\n')");
});
