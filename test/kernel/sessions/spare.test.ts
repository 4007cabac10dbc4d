/** The kernel that is ready before anybody asks: who gets it, what is in it, and when there is another. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../execution/session-fixture.ts';
import { isAlive, openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

let fixture: PoolFixture;

beforeEach(async () => {
  fixture = await openPool({ spare: async () => pythonSpec() });
});
afterEach(() => fixture.close());

function sparePid(): number {
  return [...fixture.manager.kernels.values()].at(-1)!.pid!;
}

describe('the spare kernel', () => {
  test('is made when it is asked for, and only one', async () => {
    expect(fixture.starts.length).toBe(0);
    await Promise.all([fixture.pool.warm(), fixture.pool.warm()]);
    await fixture.pool.warm();
    expect(fixture.starts.length).toBe(1);
    expect(fixture.pool.list()).toEqual([]);
  });

  test('is the first session’s, set up as any other, and another follows', async () => {
    await fixture.pool.warm();
    const pid = sparePid();
    const cwd = await fixture.place('here');
    const code =
      'import os, sys\nos.getpid(), os.getcwd(), os.environ["PI_SESSION_FILE"], os.environ["ARTIFACTS"], os.getcwd() in sys.path, callable(read)';
    const { text, structuredContent } = await fixture.python(code, { cwd, sessionFile: '/x/session.json' });
    const parts = [pid, `'${cwd}'`, "'/x/session.json'", `'${fixture.artifacts}'`, 'True', 'True'];
    expect(text.replace(/\s+/g, ' ')).toBe(`(${parts.join(', ')})`);
    expect(structuredContent.cells[0]!.executionCount).toBe(1);
    await until(() => fixture.starts.length === 2, 'another');
    // A restart of it is one in its own folder.
    expect(
      (await fixture.python('import os\nos.getcwd(), callable(read)', { cwd, sessionFile: '/x/session.json', reset: true })).text,
    ).toContain(`('${cwd}', True)`);
  });

  test('also serves a kernel for one call, which is gone after it', async () => {
    await fixture.pool.warm();
    const pid = sparePid();
    expect((await fixture.python('import os; os.getpid()', { kernelMode: 'per-call' })).text).toBe(String(pid));
    expect(isAlive(pid)).toBe(false);
  });

  test('is passed over when it is dead', async () => {
    await fixture.pool.warm();
    const pid = sparePid();
    process.kill(pid, 'SIGKILL');
    await until(() => [...fixture.manager.kernels.values()].every(({ state }) => state === 'dead'), 'its end');
    const { text, structuredContent } = await fixture.python('import os; os.getpid()');
    expect(Number(text)).not.toBe(pid);
    expect(structuredContent.statusEvents).toEqual([]);
  });

  test('ends with the pool', async () => {
    await fixture.pool.warm();
    const pid = sparePid();
    await fixture.pool.close();
    expect(isAlive(pid)).toBe(false);
    expect(fixture.manager.kernels.size).toBe(0);
  });

  test('is waited for while it starts: a second one would be later', async () => {
    const warm = fixture.pool.warm();
    await until(() => fixture.manager.kernels.size === 1, 'its start');
    expect((await fixture.python('1 + 1')).text).toBe('2');
    await warm;
    await until(() => fixture.starts.length === 2, 'another');
    // The first was the session's, the second waits.
    expect(fixture.pool.list()[0]!.pid).toBe([...fixture.manager.kernels.values()][0]!.pid);
  });

  test('that starts is not waited for by a call that is cancelled', async () => {
    const cancel = new AbortController();
    const warm = fixture.pool.warm();
    await until(() => fixture.manager.kernels.size === 1, 'its start');
    const call = fixture.python('1 + 1', {}, { signal: cancel.signal });
    cancel.abort();
    expect((await call).structuredContent.cancelled).toBe(true);
    await warm;
    expect((await fixture.python('1 + 1')).text).toBe('2');
  });
});

describe('a session of another kernel', () => {
  const other = { ...pythonSpec(), env: { OTHER: '1' } };

  async function reopen(spare: NonNullable<Parameters<typeof openPool>[0]>['spare']): Promise<void> {
    await fixture.close();
    fixture = await openPool({ spare, spec: other });
    await fixture.pool.warm();
  }

  test('does not get it', async () => {
    await reopen(async () => pythonSpec());
    expect((await fixture.python('import os; os.environ["OTHER"]')).text).toBe("'1'");
    expect(fixture.starts.length).toBe(2);
  });

  test('says which kind is kept from then on; the one before ends', async () => {
    await reopen(async (last) => last ?? pythonSpec());
    const pid = sparePid();
    await fixture.python('1');
    await until(() => fixture.starts.length === 3 && !isAlive(pid), 'the change of the spare one');
    expect(fixture.starts.map(({ spec }) => spec.env)).toEqual([{}, other.env, other.env]);
    await until(() => [...fixture.manager.kernels.values()].every(({ state }) => state === 'idle'), 'its start');
    expect(fixture.manager.kernels.size).toBe(2);
  });

  test('none is kept when none is wanted any more', async () => {
    let wanted = true;
    await reopen(async () => (wanted ? other : null));
    const pid = sparePid();
    wanted = false;
    await fixture.pool.warm();
    expect(isAlive(pid)).toBe(false);
    expect(fixture.manager.kernels.size).toBe(0);
    expect((await fixture.python('1 + 1')).text).toBe('2');
  });
});
