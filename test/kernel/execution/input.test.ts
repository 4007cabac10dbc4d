/** Questions of running code: shown at the cell, answered, hidden for passwords, and never left behind. Real kernel. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
beforeAll(async () => {
  fixture = await openSession();
});
afterAll(() => fixture.close());

/** Runs these cells until the first asks; gives the question and the run. */
async function ask(...keys: string[]) {
  const { session } = fixture;
  const run = session.runCells(keys);
  const question = () => session.runs().get(keys[0]!)?.input ?? null;
  await until(() => question() !== null, 'the question');
  return { question: question()!, run };
}

it('shows the prompt after what was printed, takes the answer and keeps both in their place', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('print("before")\nname = input("name? ")\nprint("hello", name)');
  const { question, run } = await ask(key);
  expect(question).toEqual({ prompt: 'name? ', password: false });
  expect(notebook.text(key)).toBe('before\n');
  expect(session.runs().get(key)!.state).toBe('running');
  await session.provideInput(key, 'Ada \u{1f600}');
  expect((await run).status).toBe('ok');
  expect(notebook.cell(key)!.outputs).toEqual([
    { type: 'stream', name: 'stdout', text: 'before\n' },
    { type: 'stream', name: 'stdin', text: 'name? Ada \u{1f600}\n' },
    { type: 'stream', name: 'stdout', text: 'hello Ada \u{1f600}\n' },
  ]);
  expect(session.runs().get(key)!.input).toBeNull();
});

it('shows an empty prompt too, and several questions one after the other', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('a = input()\nb = input("second")\nprint(a, b)');
  const { question, run } = await ask(key);
  expect(question).toEqual({ prompt: '', password: false });
  await session.provideInput(key, '1');
  await until(() => session.runs().get(key)!.input?.prompt === 'second', 'the second question');
  await session.provideInput(key, '2');
  await run;
  expect(notebook.text(key)).toBe('1\nsecond 2\n1 2\n');
});

it('says that a password must not be echoed', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('import getpass\nsecret = getpass.getpass("word: ")\nprint(len(secret))');
  const { question, run } = await ask(key);
  expect(question).toEqual({ prompt: 'word: ', password: true });
  await session.provideInput(key, 'hunter2');
  await run;
  expect(notebook.text(key)).toBe('word: ········\n7\n');
});

it('keeps the question when the cell is asked to run again meanwhile', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('print(input("n"))');
  const { run } = await ask(key);
  const again = session.runCells([key]);
  expect(session.runs().get(key)).toMatchObject({ state: 'running', input: { prompt: 'n' } });
  await session.provideInput(key, 'one');
  await run;
  await until(() => session.runs().get(key)!.input !== null, 'the question of the second run');
  await session.provideInput(key, 'two');
  await again;
  expect(notebook.text(key)).toContain('two');
});

it('is ended by an interrupt', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('input("n")');
  const { run } = await ask(key);
  await session.interrupt();
  expect((await run).failure?.error?.ename).toBe('KeyboardInterrupt');
  expect(session.runs().get(key)).toMatchObject({ state: 'failed', input: null });
});

it('drops answers that nobody waits for', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('x = input("n")\nimport time; time.sleep(0.3); print(x)');
  const { run } = await ask(key);
  await session.provideInput('another cell', 'no');
  await Promise.all([session.provideInput(key, 'first'), session.provideInput(key, 'second')]);
  await session.provideInput(key, 'third');
  await run;
  expect(notebook.text(key)).toContain('first');
  await session.provideInput(key, 'after the end');
  const next = notebook.code('print("fine")');
  expect((await session.runCells([next])).status).toBe('ok');
});

it('of a thread that outlives its cell is given an empty answer, and the next question is not answered with it', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code(`import os, threading, time
threading.Thread(target=lambda: print('got', repr(input('n')))).start()
while not os.path.exists('seen'): time.sleep(0.01)`);
  const { run } = await ask(key);
  await writeFile(path.join(fixture.folder, 'seen'), '');
  expect((await run).status).toBe('ok');
  expect(session.runs().get(key)).toMatchObject({ state: 'done', input: null });
  expect(session.kernelView().message).toBe('A cell ended while a thread of it waited for input. The thread was given an empty answer.');
  await until(() => notebook.text(key).includes("got ''"), 'the end of the thread');
  const next = notebook.code('print(input("m"))');
  const after = await ask(next);
  expect(session.kernelView().message).toBeNull();
  await session.provideInput(next, 'mine');
  await after.run;
  expect(notebook.text(next)).toContain('mine');
});

it('that an interrupt took out of its cell is not answered', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('try: input("n")\nexcept KeyboardInterrupt: print("left")');
  const { run } = await ask(key);
  await session.interrupt();
  expect((await run).status).toBe('ok');
  expect(session.kernelView().message).toBeNull();
});

it('is refused by the kernel itself where nobody can answer', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('input("n")');
  const summary = await session.runCells([key], { allowStdin: false });
  expect(summary.failure?.error?.ename).toBe('StdinNotImplementedError');
});
