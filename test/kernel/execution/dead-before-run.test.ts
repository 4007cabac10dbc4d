/**
 * What died before a run is replaced before the code is sent. The instants are those that nobody has heard of yet: the process is gone, and the
 * event loop that would tell of it is held until the run is asked for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSession, type SessionFixture } from './session-fixture.ts';

let fixture: SessionFixture;
beforeEach(async () => {
  fixture = await openSession();
  await fixture.session.runCells([fixture.notebook.code('kept = 42')]);
});
afterEach(() => fixture.close());

/** Kills the process and returns when it has ended with all its threads, without a turn of the event loop. */
function killUnheard(pid: number): void {
  process.kill(pid, 'SIGKILL');
  for (;;) {
    const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)![0];
    if (state === 'Z' && readdirSync(`/proc/${pid}/task`).length === 1) return;
  }
}

async function rest(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

describe.runIf(process.platform === 'linux')('a kernel that is gone', () => {
  it('and that nobody has heard of: the run gets a fresh one', async () => {
    const { session, notebook } = fixture;
    const keys = [notebook.code('print("kept" in globals())'), notebook.code('print("next")')];
    killUnheard(session.kernel!.pid!);
    expect(session.kernel!.state).not.toBe('dead');
    const summary = await session.runCells(keys);
    expect(summary.status).toBe('ok');
    expect(keys.map((key) => notebook.text(key))).toEqual(['False\n', 'next\n']);
    expect(session.kernelView()).toMatchObject({ state: 'idle', message: null, generation: 1 });
  });

  it('while what it left behind is still being read: the run gets a fresh one', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("kept" in globals())');
    const { kernel } = session;
    process.kill(kernel!.pid!, 'SIGKILL');
    while (kernel!.pid !== null) await new Promise(setImmediate);
    expect((await session.runCells([key])).status).toBe('ok');
    expect(notebook.text(key)).toBe('False\n');
  });

  it('between two cells of one run: the rest is cancelled, and it is said', async () => {
    const { session, notebook } = fixture;
    const keys = [notebook.code('1'), notebook.code('print("second")')];
    const { pid } = session.kernel!;
    const stop = session.on('runs', () => {
      // Then the second one is on its way to the kernel.
      if (session.runs().get(keys[0]!)?.state !== 'done') return;
      stop();
      killUnheard(pid!);
    });
    const summary = await session.runCells(keys);
    expect(summary.cells.map(({ outcome }) => outcome)).toEqual(['done', 'cancelled']);
    expect(notebook.cell(keys[1]!)!.begun).toBe(0);
    expect(session.kernelView()).toMatchObject({ state: 'dead', message: expect.stringContaining('signal 9') });
    expect((await session.runCells([keys[1]!])).status).toBe('ok');
  });

  it('and shut down in the same moment: nothing is started for the run that waited', async () => {
    const { session, notebook, manager } = fixture;
    const key = notebook.code('1');
    killUnheard(session.kernel!.pid!);
    const run = session.runCells([key]);
    await session.shutdown();
    expect((await run).status).toBe('cancelled');
    expect(manager.kernels.size).toBe(0);
    await rest(50);
    expect(session.kernelView().state).toBe('none');
  });
});

describe.runIf(process.platform === 'linux')('a kernel host that is gone', () => {
  it('and that nobody has heard of: the run waits for the next, and the variables are there', async () => {
    const { session, notebook, host } = fixture;
    const key = notebook.code('print(kept)');
    const { pid } = session.kernel!;
    killUnheard(host().pid!);
    expect((await session.runCells([key])).status).toBe('ok');
    expect(notebook.text(key)).toBe('42\n');
    expect(session.kernel!.pid).toBe(pid);
  });
});
