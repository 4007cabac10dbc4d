/** What processes print that the code starts: ipykernel gives it to the cell, and the kernel's own streams carry it too. It is shown once. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSession, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSession();
});
afterEach(() => fixture.close());

/** Lines of a cell's streams, sorted: workers take turns as they like. */
function lines(key: string): string[] {
  return fixture.notebook.text(key).split('\n').filter(Boolean).sort();
}

it('workers of a pool are heard once each', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code(`import multiprocessing
from concurrent.futures import ProcessPoolExecutor
def work(n):
  print(f"worker {n}", flush=True)
with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool: list(pool.map(work, range(3)))
print("end")`);
  expect((await session.runCells([key])).status).toBe('ok');
  // What a worker printed comes by a pipe of its own, and may come after the end; two at once don't keep to lines.
  const heard = (): string[] => (notebook.text(key).match(/worker \d|end/g) ?? []).sort();
  const all = ['end', 'worker 0', 'worker 1', 'worker 2'];
  await until(() => heard().length >= all.length, 'the output of all workers');
  expect((await session.runCells([notebook.code('1')])).status).toBe('ok');
  expect(heard()).toEqual(all);
});

it('a program is heard once, in the cell, and goes to the kernel’s log as well', async () => {
  const { session, notebook } = fixture;
  const kernel = await session.ensureKernel();
  let log = '';
  kernel.on('log', ({ text }) => {
    log += text;
  });
  const key = notebook.code('import subprocess\nsubprocess.run(["echo", "from a program"], check=True); None');
  expect((await session.runCells([key])).status).toBe('ok');
  await until(() => log.includes('from a program') && lines(key).length > 0, 'the output, both ways');
  expect((await session.runCells([notebook.code('1')])).status).toBe('ok');
  expect(lines(key)).toEqual(['from a program']);
});
