/**
 * The kernel host dies while agents' cells run: the next host goes on with the run and with what the cell has shown so far. Only what was sent while
 * nobody was there may be missing, and the result says where.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallOutputs } from '../../../main/execution/agents/call-outputs.ts';
import type { PythonProgress } from '../../../main/execution/agents/python-run.ts';
import { startRun } from '../../../main/execution/run-client.ts';
import { MISSED } from '../../../main/execution/untold-outputs.ts';
import type { Kernel } from '../../../main/kernels/kernel.ts';
import { until } from '../execution/session-fixture.ts';
import { openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

let fixture: PoolFixture;
beforeEach(async () => {
  fixture = await openPool();
});
afterEach(() => fixture.close());

/** Waits for a file that the test makes: code that goes on when the test says so. */
const WAIT = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\n';

/** Kills spread over a call and a bit beyond it, each a little later than the one before. */
const INSTANTS = 12;
const SPREAD_MS = 1_200;

/** Values that come right before the host is killed, so that some are told and some aren't. */
const SHOWN = 5;
const SHOW_OFTEN = `from IPython.display import display\nfor n in range(${SHOWN}): display({"application/json": n}, raw=True)\n`;

function kernel(): Kernel {
  return fixture.pool.session(fixture.pool.list()[0]!.key)!.kernel!;
}

/** Resolves when another host has the kernel. */
function attachedAgain(): Promise<void> {
  return new Promise((resolve) => {
    const stop = kernel().on('connected', () => {
      stop();
      resolve();
    });
  });
}

/** Lets the code go on once the kernel is heard of again. */
async function go(): Promise<void> {
  await kernel().request({ channel: 'control', type: 'kernel_info_request', content: {} }, 60_000);
  await writeFile(path.join(fixture.folder, 'go'), '');
}

/** A call, and the kernel host killed when it is as far as `when` says. */
async function callAndKill(
  cells: string | string[],
  when: (progress: PythonProgress) => boolean = ({ cells: shown }) => shown.some(({ output }) => output.includes('begun')),
): Promise<{ call: ReturnType<PoolFixture['python']> }> {
  let isThere = false;
  const onProgress = (progress: PythonProgress): void => {
    isThere ||= when(progress);
  };
  const call = fixture.python(cells, {}, { onProgress });
  await until(() => isThere, 'the instant of the kill');
  fixture.hosts.at(-1)!.kill();
  return { call };
}

describe('a cell that runs', () => {
  it('goes on, and its result is the whole one', async () => {
    const code = `kept = 42\nprint("begun", flush=True)\nprint("half", end="", flush=True)\n${WAIT}kept += 1\nprint(" whole")\nkept`;
    const { call } = await callAndKill([code, 'print(kept)'], ({ cells }) => cells.some(({ output }) => output.includes('half')));
    await attachedAgain();
    await go();
    const { text, isError, structuredContent } = await call;
    // Nothing was sent while nobody was there, so nothing is said.
    expect(text).toBe('[1/2]\nbegun\nhalf whole\n43\n\n[2/2]\n43');
    expect(isError).toBe(false);
    expect(structuredContent.cells).toMatchObject([
      { status: 'complete', exitCode: 0, executionCount: 1 },
      { status: 'complete', exitCode: 0, executionCount: 2 },
    ]);
    expect(structuredContent.statusEvents).toEqual([]);
  });

  it('that prints all the time says once where something may be missing', async () => {
    const { call } = await callAndKill(
      'print("begun", flush=True)\nimport os, time\nn = 0\nwhile not os.path.exists("go"):\n  print(n, flush=True); n += 1; time.sleep(0.005)\nprint("end")',
    );
    await attachedAgain();
    await go();
    const { text, isError } = await call;
    expect(isError).toBe(false);
    const [first, second, ...others] = text.split(`${MISSED}\n`);
    expect(others).toEqual([]);
    const numbers = `${first}${second}`.split('\n').slice(1, -1).map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(text.endsWith('\nend')).toBe(true);
  });

  it('fails with its own error', async () => {
    const { call } = await callAndKill([`print("begun", flush=True)\n${WAIT}1 / 0`, '1']);
    await attachedAgain();
    await go();
    const { text, structuredContent } = await call;
    expect(text).toMatch(/^\[1\/2\]\nbegun\n-+\nZeroDivisionError/);
    expect(structuredContent.cells).toMatchObject([{ status: 'error', exitCode: 1 }, { status: 'pending' }]);
  });

  it('survives one host after the other', async () => {
    const { call } = await callAndKill(`print("begun", flush=True)\n${WAIT}print("end")`);
    for (let round = 0; round < 3; round += 1) {
      await attachedAgain();
      fixture.hosts.at(-1)!.kill();
    }
    await attachedAgain();
    await go();
    const { text, isError } = await call;
    expect(isError).toBe(false);
    // A host that dies at once has told nobody what it heard, so that the next one can't be sure.
    expect(text.replaceAll(`${MISSED}\n`, '')).toBe('begun\nend');
  });

  it('can be cancelled while there is no host', async () => {
    const cancel = new AbortController();
    let began = false;
    const onProgress = ({ cells }: PythonProgress): void => {
      began ||= cells[0]!.output.includes('begun');
    };
    const call = fixture.python('print("begun", flush=True)\nwhile True: pass', {}, { signal: cancel.signal, onProgress });
    await until(() => began, 'the cell');
    fixture.hosts.at(-1)!.kill();
    cancel.abort();
    const { text, structuredContent } = await call;
    expect(structuredContent.cancelled).toBe(true);
    expect(text.startsWith('begun')).toBe(true);
    expect((await fixture.python('40 + 2')).text).toContain('42');
  });

  it('asks again through the next host, and gets an empty line there', async () => {
    const { call } = await callAndKill(`print("begun", flush=True)\n${WAIT}print(repr(input("who? ")))`);
    await attachedAgain();
    await go();
    const { text, structuredContent } = await call;
    expect(text).toBe("begun\n[The code asked for input (“who?”). Nobody can type here, so it got an empty line.]\n''");
    expect(structuredContent.stdinRequested).toBe(true);
  });

  it('whose end nobody heard says so; the kernel is there', async () => {
    const before = fixture.hosts.length;
    const { call } = await callAndKill(`kept = 1\nprint("begun", flush=True)\n${WAIT}print("end")\nopen("over", "w").close()`);
    await until(() => fixture.hosts.length > before + 1 && fixture.hosts.at(-1)!.pid !== null, 'the next host');
    process.kill(fixture.hosts.at(-1)!.pid!, 'SIGSTOP');
    await writeFile(path.join(fixture.folder, 'go'), '');
    await until(() => existsSync(path.join(fixture.folder, 'over')), 'the end of the code');
    // Its reply and its idle follow the file at once.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.kill(fixture.hosts.at(-1)!.pid!, 'SIGCONT');
    const { text, isError } = await call;
    expect(isError).toBe(true);
    expect(text).toContain('its result are missing. The kernel and its variables are still there.');
    expect((await fixture.python('kept')).text).toBe('1');
  });
});

describe('what a cell has shown', () => {
  it('is in the result: images, values, events, displays that change later, and the cells before', async () => {
    const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
    const { call } = await callAndKill(
      [
        `import base64\nfrom IPython.display import display, JSON, Image\ndisplay(Image(data=base64.b64decode("${picture}")))\nprint("first")`,
        `shown = display({"application/json": {"n": 1}}, raw=True, display_id=True)\nwrite("noted.txt", "x")\nprint("begun", flush=True)\n${WAIT}shown.update({"application/json": {"n": 2}}, raw=True)\ndisplay({"application/json": {"n": 3}}, raw=True)`,
      ],
      ({ cells }) => cells[1]!.output.includes('begun') && cells[1]!.statusEvents.some(({ op }) => op === 'write'),
    );
    await attachedAgain();
    await go();
    const { text, isError, images, structuredContent } = await call;
    expect(isError).toBe(false);
    expect(images.map(({ mime }) => mime)).toEqual(['image/png']);
    expect(structuredContent.statusEvents.map(({ op }) => op)).toEqual(['write']);
    // Either it was told in time, and is updated in its place, or the text says that it is missing and the update is a value of its own.
    const values = structuredContent.jsonOutputs.map((value) => (value as { n: number }).n);
    expect(values).toEqual([2, 3]);
    expect(text).toMatch(/^\[1\/2\]\n<IPython.core.display.Image object>\nfirst\n\n\[2\/2\]\nbegun/);
  });

  it('and was not told in time is said to be missing', async () => {
    const { call } = await callAndKill(`${SHOW_OFTEN}print("begun", flush=True)\n${WAIT}print("end")`);
    await attachedAgain();
    await go();
    const { text, isError, structuredContent } = await call;
    expect(isError).toBe(false);
    const { length } = structuredContent.jsonOutputs;
    const said = /(\d+) images or JSON values that the cell showed are missing/.exec(text)?.[1];
    expect(length + Number(said ?? 0)).toBe(SHOWN);
    expect(text.endsWith('end')).toBe(true);
  });

  it('is whole when the host dies between the run’s end and the fetch of its output', async () => {
    const started = await fixture.manager.start({ spec: pythonSpec(), cwd: fixture.folder });
    const outputs = new CallOutputs(1, fixture.artifacts, () => {});
    outputs.begin(0, started, 'the-run', null);
    const code = 'from IPython.display import display\ndisplay({"application/json": [1]}, raw=True)\nfor n in range(100): print(n)\nn';
    const request = { runId: 'the-run', areaId: 'the-run', code, silent: false, storeHistory: true, allowStdin: false };
    const { status } = await startRun(started, { ...request, stopOnError: true, artifactFolder: null, untold: true }).done;
    expect(status).toBe('ok');
    const { host } = started;
    fixture.hosts.at(-1)!.kill();
    await until(() => host.gone !== null, 'the end of the host');
    const [output] = await outputs.end(51_200);
    expect(output).toMatchObject({ text: { output: `${[...Array(100).keys(), 99].join('\n')}\n`, truncated: false }, json: [[1]] });
  });
});

it('at any instant of a call the result is right, or says what is missing', async () => {
  const outcomes = { whole: 0, missing: 0, lost: 0 };
  const count = 40;
  for (let round = 0; round < INSTANTS; round += 1) {
    const kill = setTimeout(() => fixture.hosts.at(-1)?.kill(), (round / INSTANTS) * SPREAD_MS);
    const { text, isError, structuredContent } = await fixture.python(
      [`import time\nfor n in range(${count}): print(n, flush=True); time.sleep(0.01)`, 'print("next")\n6 * 7'],
      { reset: round % 3 === 0 },
    );
    clearTimeout(kill);
    const [first, second] = structuredContent.cells;
    const numbers = first!.output.replace(`${MISSED}\n`, '').split('\n').slice(0, -1).map(Number);
    const whole = [...Array(count).keys()];
    if (isError) {
      expect(text).toMatch(/The connection to the kernel broke while the cell ran|The kernel ended while its session was set up/);
      outcomes.lost += 1;
    } else if (text.includes(MISSED)) {
      expect(whole).toEqual(expect.arrayContaining(numbers));
      outcomes.missing += 1;
    } else {
      expect(numbers).toEqual(whole);
      expect(second!.output).toBe('next\n42\n');
      outcomes.whole += 1;
    }
    expect((await fixture.python('40 + 2')).text).toBe('42');
  }
  console.log(`kills of the host: ${JSON.stringify(outcomes)}`);
});
