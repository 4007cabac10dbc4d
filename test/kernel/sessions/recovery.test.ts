/** Kernels of agents that die, whenever they do: what is run again, how often, and what is said. */
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { until } from '../execution/session-fixture.ts';
import { openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

const TOO_MANY = 'Python kernel restarted too many times in this session';

describe.each(KERNEL_PYTHONS)('with $name', ({ python: findPython }) => {
  let fixture: PoolFixture;
  let python: PoolFixture['python'];

  beforeEach(async () => {
    fixture = await openPool({ spec: pythonSpec(await findPython()) });
    python = fixture.python;
  });
  afterEach(() => fixture.close());

  /** Code that notes in a file that it was run, so that the test sees how often. */
  function counted(code: string): string {
    return `open(${JSON.stringify(path.join(fixture.folder, 'runs'))}, "a").write("x")\n${code}`;
  }

  const runs = 'len(open("runs").read())';

  test('a kernel killed while a cell runs is restarted, and the cell is run again once', async () => {
    await python('x = 1');
    // It waits only the first time.
    const call = python(
      counted('import time, os\nprint("begun", flush=True)\nwhile os.path.getsize("runs") < 2: time.sleep(.01)\nprint("x" in globals())'),
    );
    const { pid } = fixture.pool.list()[0]!;
    await until(() => fixture.pool.session(fixture.pool.list()[0]!.key)!.kernel!.state === 'busy', 'the cell');
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(pid!, 'SIGKILL');
    const { text, isError, structuredContent } = await call;
    expect(isError).toBe(false);
    expect(text).toBe(
      'begun\n[The kernel ended: killed by signal 9, perhaps out of memory. It was restarted, and the cell was run again; variables from before are gone.]\nbegun\nFalse',
    );
    expect(structuredContent.cells[0]).toMatchObject({ status: 'complete', exitCode: 0 });
    expect(structuredContent.statusEvents).toEqual([
      { op: 'kernel-restart', why: 'The kernel ended: killed by signal 9, perhaps out of memory.', ranAgain: true },
    ]);
    expect((await python(runs)).text).toBe('2');
    // A run was completed: the next death has its restart again.
    expect((await python('import os\nos.path.exists("again") or (open("again", "w"), os._exit(1))')).text).toMatch(/run again[\s\S]*True$/);
  });

  test('code that ends the kernel each time is run twice and no more; reset begins anew', async () => {
    const { text, isError, structuredContent } = await python([counted('import os; os._exit(4)'), '1']);
    expect(isError).toBe(true);
    expect(text).toContain(TOO_MANY);
    expect(text).toContain('The kernel ended: it left with code 4.');
    expect(structuredContent.cells.map(({ status }) => status)).toEqual(['error', 'pending']);
    expect(structuredContent.cells[0]!.exitCode).toBeNull();
    // Nothing was completed since: without a reset there is no third restart.
    const refused = await python('1 + 1');
    expect(refused.text).toContain(TOO_MANY);
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent.cells[0]!.status).toBe('error');
    const reset = await python(runs, { reset: true });
    expect(reset.text).toBe('2');
    expect(reset.isError).toBe(false);
    // And the count is clear: one restart is allowed again.
    expect((await python('import os\nos._exit(0)')).text).toContain(TOO_MANY);
  });

  test('a kernel that died between calls is restarted first', async () => {
    await python('x = 1');
    process.kill(fixture.pool.list()[0]!.pid!, 'SIGKILL');
    await until(() => fixture.pool.list()[0]!.state === 'dead', 'its end');
    const { text, structuredContent } = await python(['"x" in globals()', '2']);
    expect(text).toBe(
      '[1/2]\n[The kernel ended: killed by signal 9, perhaps out of memory. A fresh kernel was started; variables from before are gone.]\nFalse\n\n[2/2]\n2',
    );
    expect(structuredContent.statusEvents).toMatchObject([{ op: 'kernel-restart', ranAgain: false }]);
    expect(structuredContent.cells[0]!.executionCount).toBe(1);
    expect((await python('3')).text).toBe('3');
  });

  test('a restart before a run and a death in it are one too many', async () => {
    await python('1');
    process.kill(fixture.pool.list()[0]!.pid!, 'SIGKILL');
    await until(() => fixture.pool.list()[0]!.state === 'dead', 'its end');
    const { text, isError } = await python(counted('import os; os._exit(1)'));
    expect(text).toContain(TOO_MANY);
    expect(isError).toBe(true);
    expect((await python(runs, { reset: true })).text).toBe('1');
  });

  test('the sentence about earlier cells tells the truth after a restart', async () => {
    const { text } = await python(['x = 1', counted('import os\nif os.path.getsize("runs") < 2: os._exit(1)\nx')]);
    expect(text).toContain("NameError: name 'x' is not defined");
    expect(text).toContain('The state of the earlier cells is gone with the kernel, so send all cells again.');
  });

  test('code that lets the kernel leave has completed, and the next cell begins a fresh one', async () => {
    const { text, isError } = await python(['x = 1\nexit()', '"x" in globals()']);
    expect(isError).toBe(false);
    expect(text).toMatch(/^\[1\/2\]\nThe code ended the kernel\. Its variables are gone; the next cell starts a fresh one\.\n\n\[2\/2\]\n/);
    expect(text).toMatch(/A fresh kernel was started; variables from before are gone\.\]\nFalse$/);
  });

  test('a restart by hand ends the cell and is no death', async () => {
    await python('x = 1');
    const { key } = fixture.pool.list()[0]!;
    const session = fixture.pool.session(key)!;
    const call = python([counted('import time; time.sleep(1000)'), '2']);
    await until(() => session.kernel?.state === 'busy', 'the cell');
    await session.restart();
    const { text, structuredContent } = await call;
    expect(text).toContain('The kernel was restarted or shut down while the cell ran. Its variables are gone.');
    expect(structuredContent.cells.map(({ status }) => status)).toEqual(['error', 'pending']);
    // The helpers are in the fresh kernel as well, and the cell was not run again.
    expect((await python(`callable(read), ${runs}`)).text).toBe('(True, 1)');
  });

  test('a session that is shut down while it runs says so, and the next call has a fresh one', async () => {
    await python('x = 1');
    const { key } = fixture.pool.list()[0]!;
    const call = python('import time; time.sleep(1000)');
    const waiting = python('1');
    await until(() => fixture.pool.session(key)?.kernel?.state === 'busy', 'the cell');
    await fixture.pool.shutdown(key);
    expect((await call).text).toContain('The kernel was restarted or shut down while the cell ran.');
    expect((await waiting).text).toContain('The session was shut down. Send the cells again');
    expect((await python('"x" in globals()')).text).toContain('False');
  });
});
