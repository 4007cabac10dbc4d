/**
 * Kernels of two other languages, found by their kernelspecs and run by the same session as Python's. What a kernel can't do by itself (the
 * signal that interrupts others ends Deno) is said, and a restart brings it back.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findKernelspecs } from '../../../main/kernels/discovery/kernelspecs.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { otherLanguages } from '../../support/other-languages.ts';
import { openSession, type SessionFixture, until } from '../execution/session-fixture.ts';

interface Language {
  name: string;
  language: string;
  /** Prints `one` at once and `two` a second later. */
  stream: string;
  /** Sets a variable, and prints it. */
  set: string;
  show: string;
  /** Fails with an error in whose output there is `words`. */
  fails: string;
  words: string;
  /** Ends by itself after a minute. */
  long: string;
  /** False: the interrupt ends the kernel, or has no effect. */
  interruptible: boolean;
  completion: { code: string; match: string };
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'bash',
    language: 'bash',
    stream: 'echo one; sleep 1; echo two',
    set: 'kept=41',
    show: 'echo $((kept + 1))',
    fails: 'echo before; no_such_command_here',
    words: 'no_such_command_here',
    long: 'echo begun; sleep 60',
    interruptible: true,
    completion: { code: 'ech', match: 'echo' },
  },
  {
    name: 'deno',
    language: 'typescript',
    stream: 'console.log("one"); await new Promise((resolve) => setTimeout(resolve, 1000)); console.log("two");',
    set: 'let kept: number = 41',
    show: 'console.log(kept + 1)',
    fails: 'console.log("before"); throw new RangeError("too far")',
    words: 'too far',
    long: 'console.log("begun"); await new Promise((resolve) => setTimeout(resolve, 60_000));',
    interruptible: false,
    completion: { code: 'globalTh', match: 'globalThis' },
  },
];

let specs: KernelSpec[];
let home: string;
let fixture: SessionFixture;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'cellwright-home-'));
  specs = await findKernelspecs({ env: { JUPYTER_PATH: await otherLanguages(), PATH: process.env.PATH }, home });
  return () => rm(home, { recursive: true, force: true });
}, 300_000);

describe.each(LANGUAGES)('$name', (kind) => {
  beforeEach(async () => {
    const spec = specs.find(({ name }) => name === kind.name);
    if (!spec) throw new Error(`There is no kernelspec ${kind.name} among ${specs.map(({ name }) => name)}.`);
    // Deno keeps a cache in the home folder.
    fixture = await openSession({ spec: { ...spec, env: { ...spec.env, DENO_DIR: path.join(home, 'deno'), NO_COLOR: '1' } } });
  });
  afterEach(() => fixture.close());

  /** Deno hands on what was printed when it likes, also after the end: text that is expected is waited for. */
  async function run(
    source: string,
    text = '',
  ): Promise<{ status: string; text: string; ename: string | undefined; count: number | null }> {
    const { session, notebook } = fixture;
    const key = notebook.code(source);
    const { status, failure } = await session.runCells([key]);
    await until(() => notebook.text(key).length >= text.length, 'the text');
    return { status, text: notebook.text(key), ename: failure?.error?.ename, count: notebook.cell(key)!.count };
  }

  test('runs code, keeps its variables and counts', async () => {
    expect(await run(kind.set)).toMatchObject({ status: 'ok', count: 1 });
    expect(await run(kind.show, '42\n')).toEqual({ status: 'ok', text: '42\n', ename: undefined, count: 2 });
    const { session, notebook } = fixture;
    expect(session.kernelView()).toMatchObject({ state: 'idle', kernelspecName: kind.name, language: kind.language });
    expect(notebook.languageInfo?.name).toBe(kind.language);
  });

  test('streams while the code runs', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code(kind.stream);
    const running = session.runCells([key]);
    await until(() => notebook.text(key).includes('one'), 'the first line');
    expect(notebook.text(key)).not.toContain('two');
    expect((await running).status).toBe('ok');
    await until(() => notebook.text(key) === 'one\ntwo\n', 'the second line');
  });

  test('an error fails the cell, keeps its output and stops what waits', async () => {
    const { session, notebook } = fixture;
    const [fails, next] = [notebook.code(kind.fails), notebook.code(kind.show)];
    const { status, cells } = await session.runCells([fails, next]);
    expect({ status, outcomes: cells.map(({ outcome }) => outcome) }).toEqual({ status: 'failed', outcomes: ['failed', 'cancelled'] });
    await until(() => notebook.text(fails).includes('before\n'), 'what was printed before the error');
    expect(notebook.text(fails)).toContain(kind.words);
    expect((await run(kind.set)).status).toBe('ok');
  });

  test('an interrupt ends what runs, or is said to have no effect', async () => {
    const { session, notebook } = fixture;
    await run(kind.set);
    const key = notebook.code(kind.long);
    const running = session.runCells([key]);
    await until(() => notebook.text(key).includes('begun'), 'the beginning');
    await session.interrupt();
    if (!kind.interruptible) {
      await until(() => session.kernelView().message !== null || session.runs().get(key)?.state !== 'running', 'what the interrupt does');
      expect(session.kernelView().message).toMatch(/Restart/);
      await session.restart();
      expect((await running).status).not.toBe('ok');
      return;
    }
    // This kernel's word for it is `abort`.
    expect((await running).status).toBe('cancelled');
    expect((await run(kind.show)).text).toBe('42\n');
  });

  test('a restart forgets the variables, also while code runs', async () => {
    const { session, notebook } = fixture;
    await run(kind.set);
    const key = notebook.code(kind.long);
    const running = session.runCells([key]);
    await until(() => notebook.text(key).includes('begun'), 'the beginning');
    await session.restart();
    expect((await running).status).toBe('cancelled');
    expect((await run(kind.show)).text).not.toBe('42\n');
    expect((await run(kind.set)).count).toBe(2);
  });

  test('completes code', async () => {
    await run(kind.set);
    const { code, match } = kind.completion;
    const { matches, start, end } = await fixture.session.complete(code, code.length);
    expect(matches.map(({ text }) => text)).toContain(match);
    expect([start, end]).toEqual([0, code.length]);
  });
});
