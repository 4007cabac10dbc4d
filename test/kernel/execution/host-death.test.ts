/**
 * The kernel host dies while cells run: it costs the output of that moment and nothing else. The next host goes on with the run, its outputs, its
 * question and its displays; what may be missing is said only where something is.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSession, type SessionFixture, until } from './session-fixture.ts';

const MISSING = 'Output of that moment may be missing.]\n';

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSession();
});
afterEach(() => fixture.close());

const text = (key: string): string => fixture.notebook.text(key);
const state = (key: string): string | undefined => fixture.session.runs().get(key)?.state;

/** Waits for a file that the test makes: code that goes on when the test says so. */
const WAIT = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\n';

async function go(): Promise<void> {
  await fixture.session.kernel!.request({ channel: 'control', type: 'kernel_info_request', content: {} }, 60_000);
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path.join(fixture.folder, 'go'), '');
}

/** Starts these cells, and kills the host when the first one's code has begun. */
async function startAndKill(...keys: string[]): Promise<{ run: ReturnType<SessionFixture['session']['runCells']> }> {
  const run = fixture.session.runCells(keys);
  await until(() => text(keys[0]!).includes('begun'), 'the first output');
  fixture.host().kill();
  return { run };
}

/** Resolves when another host has the kernel. */
function attachedAgain(): Promise<void> {
  return new Promise((resolve) => {
    const stop = fixture.session.kernel!.on('connected', () => {
      stop();
      resolve();
    });
  });
}

describe('a cell that runs', () => {
  it('goes on with its output, and those that wait have their turn', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code(`kept = 42\nprint("begun", flush=True)\n${WAIT}kept += 1\nprint("end")\nkept`);
    const next = notebook.code('print(kept)');
    const { run } = await startAndKill(key, next);
    await attachedAgain();
    await go();
    expect((await run).status).toBe('ok');
    expect([state(key), state(next)]).toEqual(['done', 'done']);
    // Nothing was sent while nobody was there, so nothing is said.
    expect(text(key)).toBe('begun\nend\n<43>');
    expect(text(next)).toBe('43\n');
    expect(notebook.cell(key)!.count).toBe(1);
    expect(session.kernelView()).toMatchObject({ state: 'idle', message: null, generation: 0 });
  });

  it('that prints all the time says what may be missing, once, and goes on after it', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code(`print("begun", flush=True)\nimport os, time\nn = 0
while not os.path.exists("go"):\n  print(n, flush=True); n += 1; time.sleep(0.005)\nprint("end")`);
    const { run } = await startAndKill(key);
    await attachedAgain();
    const before = text(key).length;
    await until(() => text(key).length > before, 'more output');
    await go();
    expect((await run).status).toBe('ok');
    const [first, second, ...others] = text(key).split('[The connection to the kernel broke while this ran. ');
    expect(others).toEqual([]);
    expect(second?.startsWith(MISSING)).toBe(true);
    const numbers = `${first}${second!.slice(MISSING.length)}`.split('\n').slice(1, -2).map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(text(key).endsWith('\nend\n')).toBe(true);
    expect(session.kernelView().message).toBeNull();
  });

  it('fails with its own error', async () => {
    const { notebook } = fixture;
    const key = notebook.code(`print("begun", flush=True)\n${WAIT}1 / 0`);
    const { run } = await startAndKill(key);
    await attachedAgain();
    await go();
    expect((await run).failure).toMatchObject({ key, status: 'error', error: { ename: 'ZeroDivisionError' } });
    expect(text(key)).toMatch(/^begun\n<ZeroDivisionError/);
  });

  it('survives one host after the other', async () => {
    const { notebook, host } = fixture;
    const key = notebook.code(`print("begun", flush=True)\n${WAIT}print("end")`);
    const { run } = await startAndKill(key);
    for (let round = 0; round < 3; round += 1) {
      await attachedAgain();
      host().kill();
    }
    await attachedAgain();
    await go();
    expect((await run).status).toBe('ok');
    // A host that dies at once has told nobody what it heard, so that the next one can't be sure.
    expect(text(key)).toMatch(/^begun\n(\[The connection [^\]]+\]\n)*end\n$/);
  });

  it('can be interrupted before there is another host', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("begun", flush=True)\nimport time\nwhile True: time.sleep(0.1)');
    const { run } = await startAndKill(key);
    await session.interrupt();
    const { failure } = await run;
    // The error may have been said before anybody was there to hear it.
    expect(failure!.status === 'lost' || failure!.error?.ename === 'KeyboardInterrupt').toBe(true);
    expect((await session.runCells([notebook.code('1')])).status).toBe('ok');
  });

  it('and whose end nobody heard ends as lost and says so; the kernel is there', async () => {
    const { session, notebook, host, folder } = fixture;
    const key = notebook.code(`kept = 1\nprint("begun", flush=True)\n${WAIT}print("end")\nopen("over", "w").close()`);
    const next = notebook.code('print(kept)');
    const old = host();
    const { run } = await startAndKill(key, next);
    await until(() => host() !== old && host().pid !== null, 'the next host');
    process.kill(host().pid!, 'SIGSTOP');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(path.join(folder, 'go'), '');
    await until(() => existsSync(path.join(folder, 'over')), 'the end of the code');
    // Its reply and its idle follow the file at once.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.kill(host().pid!, 'SIGCONT');
    expect((await run).failure).toMatchObject({ key, status: 'lost' });
    expect([state(key), state(next)]).toEqual(['failed', 'cancelled']);
    expect(text(key)).toContain(MISSING);
    expect(session.kernelView().message).toContain('connection to the kernel broke');
    expect((await session.runCells([next])).status).toBe('ok');
    expect(text(next)).toBe('1\n');
    expect(session.kernelView()).toMatchObject({ message: null, generation: 0 });
  });

  it('that never reached the kernel is sent once more', async () => {
    const { session, notebook, host } = fixture;
    await session.runCells([notebook.code('times = 0')]);
    const key = notebook.code('times += 1\nprint(times)');
    process.kill(host().pid!, 'SIGSTOP');
    const run = session.runCells([key]);
    await until(() => state(key) === 'running', 'the run');
    host().kill();
    expect((await run).status).toBe('ok');
    expect(text(key)).toBe('1\n');
  });

  it('together with its kernel ends as dead', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code(`print("begun", flush=True)\n${WAIT}`);
    const run = session.runCells([key]);
    await until(() => text(key).includes('begun'), 'the first output');
    const { pid } = session.kernel!;
    fixture.host().kill();
    process.kill(pid!, 'SIGKILL');
    expect((await run).failure).toMatchObject({ key, status: 'dead' });
    expect((await session.runCells([notebook.code('1')])).status).toBe('ok');
  });
});

describe('a question', () => {
  it('that was asked before is answered after', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("begun", flush=True)\nprint("hello", input("name"))');
    const run = session.runCells([key]);
    await until(() => session.runs().get(key)?.input?.prompt === 'name', 'the question');
    fixture.host().kill();
    await attachedAgain();
    expect(session.runs().get(key)?.input).toMatchObject({ prompt: 'name' });
    await session.provideInput(key, 'Ada');
    expect((await run).status).toBe('ok');
    expect(text(key)).toContain('name Ada\nhello Ada\n');
  });

  it('that is answered while there is no host is answered all the same', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("hello", input("name"))');
    const run = session.runCells([key]);
    await until(() => session.runs().get(key)?.input?.prompt === 'name', 'the question');
    fixture.host().kill();
    await session.provideInput(key, 'Ada');
    expect((await run).status).toBe('ok');
    expect(text(key)).toMatch(/^name Ada\n(.*\n)*hello Ada\n$/);
  });

  it('that is asked after it reaches the cell', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code(`print("begun", flush=True)\n${WAIT}print("hello", input("name"))`);
    const { run } = await startAndKill(key);
    await attachedAgain();
    await go();
    await until(() => session.runs().get(key)?.input?.prompt === 'name', 'the question');
    await session.provideInput(key, 'Ada');
    expect((await run).status).toBe('ok');
    expect(text(key)).toBe('begun\nname Ada\nhello Ada\n');
  });
});

describe('outputs from before', () => {
  it('are updated by what comes after, in cells that are done and in the one that runs', async () => {
    const { session, notebook, host } = fixture;
    const shown = notebook.code('print("above")\nh = display("first", display_id="d")');
    const again = notebook.code('display("begun", display_id="d"); None');
    const update = notebook.code('print("one", flush=True); h.update("second"); print("two")');
    await session.runCells([shown, again]);
    host().kill();
    await attachedAgain();
    expect((await session.runCells([update])).status).toBe('ok');
    expect(text(shown)).toBe("above\n<'second'>");
    expect(text(again)).toBe("<'second'>");
    expect(text(update)).toBe('one\ntwo\n');
  });

  it('are followed by what a thread still prints', async () => {
    const { session, notebook, host } = fixture;
    const code = `import threading\ndef late():\n  while not __import__("os").path.exists("go"): __import__("time").sleep(0.01)
  print("late")\nthreading.Thread(target=late).start()\nprint("begun")`;
    const key = notebook.code(code);
    await session.runCells([key]);
    host().kill();
    await attachedAgain();
    await go();
    await until(() => text(key) === 'begun\nlate\n', 'the late output');
    expect(state(key)).toBe('done');
  });
});
