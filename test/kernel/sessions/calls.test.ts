/** Calls of the python tool on real kernels: state, failures, text, data and what the code is told. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { openPool, type PoolFixture, pythonSpec } from './pool-fixture.ts';

describe.each(KERNEL_PYTHONS)('with $name', ({ python: findPython }) => {
  let fixture: PoolFixture;
  let python: PoolFixture['python'];

  beforeAll(async () => {
    fixture = await openPool({ spec: pythonSpec(await findPython()) });
    python = fixture.python;
  });
  afterAll(() => fixture.close());

  test('state stays between cells and calls, and the first cell is number one', async () => {
    const first = await python(['x = 40', 'x + 1'], { reset: true });
    expect(first.text).toBe('[1/2]\n(no output)\n\n[2/2]\n41');
    expect(first.structuredContent.cells.map(({ status, executionCount, exitCode }) => [status, executionCount, exitCode])).toEqual([
      ['complete', 1, 0],
      ['complete', 2, 0],
    ]);
    expect(first.structuredContent.cells.every(({ durationMs }) => durationMs !== null)).toBe(true);
    expect((await python('x + 2')).text).toBe('42');
  });

  test('the first failure stops the call', async () => {
    const { text, isError, structuredContent } = await python(['y = 1', 'raise ValueError("no")', 'y = 2']);
    expect(isError).toBe(true);
    expect(text).toContain('ValueError: no');
    expect(text).not.toContain('\x1b');
    expect(text).toContain('Cell 2 of 3 failed. Cell 3 was not run. The state of cell 1 is kept. Send only cells 2-3 again');
    expect(structuredContent.cells.map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['complete', 0],
      ['error', 1],
      ['pending', null],
    ]);
    expect((await python('y')).text).toBe('1');
  });

  test('a failure whose traceback the code hides is named all the same', async () => {
    const { text, isError } = await python(['get_ipython().showtraceback = lambda *a, **k: None', 'raise ValueError("hidden")']);
    await python('del get_ipython().showtraceback');
    expect(isError).toBe(true);
    expect(text).toContain('[2/2]\nValueError: hidden\n');
  });

  test('reset makes a fresh kernel before the first cell alone', async () => {
    await python('z = 5');
    const { text } = await python(['print("z" in globals()); z = 6', 'z'], { reset: true });
    expect(text).toBe('[1/2]\nFalse\n\n[2/2]\n6');
  });

  test('the code finds its folder, its variables and the helpers, and no names of ours', async () => {
    const cwd = await fixture.place('with spaces é');
    await writeFile(path.join(cwd, 'own_module.py'), 'value = 7\n');
    const sessionFile = path.join(fixture.folder, 'session.json');
    const code = `
import os, own_module
print(os.getcwd() == ${JSON.stringify(cwd)}, own_module.value)
print(os.environ["PI_SESSION_FILE"] == ${JSON.stringify(sessionFile)}, os.environ["ARTIFACTS"] == ${JSON.stringify(fixture.artifacts)})
print([name for name in globals() if "cellwright" in name.lower() or name in ("own", "prepare", "install")])
print(callable(read), read("own_module.py"))`;
    const { text, structuredContent } = await python([code, 'get_ipython().run_line_magic("who", "")'], { cwd, sessionFile });
    expect(text).toBe('[1/2]\nTrue 7\nTrue True\n[]\nTrue value = 7\n\n[2/2]\nos\t own_module\t ');
    expect(structuredContent.statusEvents).toMatchObject([{ op: 'read' }]);
    expect(structuredContent.cells[0]!.statusEvents.length).toBe(1);
  });

  test('images, JSON and text of displays come apart', async () => {
    const code = `
import base64
from IPython.display import display
display({"image/png": "${Buffer.from('picture').toString('base64')}", "text/plain": "<Figure>"}, raw=True)
display({"application/json": {"rows": [1, 2]}}, raw=True)
display({"text/html": "<table><tr><td>a</td><td>b</td></tr></table>"}, raw=True)
display({"text/markdown": "**bold**", "text/plain": "bold"}, raw=True)`;
    const { text, images, structuredContent } = await python(code);
    expect(text).toBe('<Figure>\na\tb\n**bold**');
    expect(structuredContent.jsonOutputs).toEqual([{ rows: [1, 2] }]);
    expect(structuredContent.images).toMatchObject([{ mime: 'image/png', bytes: 7, cell: 0 }]);
    expect(await readFile(images[0]!.file!, 'utf8')).toBe('picture');
  });

  test('files that the code puts into its artifact folder are artifacts of their cell', async () => {
    const code = (name: string): string => `import os, pathlib; pathlib.Path(os.environ["ARTIFACTS"], "${name}").write_text("a,b")`;
    await python([code('first.csv'), 'import time; time.sleep(0.05)', code('second.csv')]);
    await python('save_artifact("kept", "third.txt")', { cwd: await fixture.place('another session of the folder') });
    const made = (await new ArtifactStore(fixture.artifacts).list()).filter(({ kind }) => kind === 'file');
    expect(made.map(({ source, mime, bytes }) => [source.name, mime, bytes])).toEqual([
      ['first.csv', 'text/csv', 3],
      ['second.csv', 'text/csv', 3],
      ['third.txt', 'text/plain', 4],
    ]);
    const makers = made.map(({ source }) => source.areaId ?? source.runId);
    expect(makers).not.toContain(undefined);
    expect(new Set(makers).size).toBe(3);
  });

  test('data without text says so', async () => {
    const code = 'from IPython.display import display\ndisplay({"application/json": 1}, raw=True)';
    expect((await python(code)).text).toBe('(no text output)');
    expect((await python('None')).text).toBe('(no output)');
  });

  test('a display is updated in its place, from a later cell too; progress bars are one line; clear_output clears', async () => {
    const { text } = await python([
      'from IPython.display import display, clear_output\nh = display("one", display_id=True)\nprint("after")\nh.update("two")',
      'h.update("three")',
      'import sys\nfor i in range(5): print(f"\\r{i}", end="", flush=True)\nprint()',
      'for i in range(5):\n  clear_output(wait=True); print("round", i)',
    ]);
    expect(text).toBe("[1/4]\n'three'\nafter\n\n[2/4]\n(no output)\n\n[3/4]\n4\n\n[4/4]\nround 4");
  });

  test('input gets an empty line, and the result says so', async () => {
    const { text, isError, structuredContent } = await python('name = input("Name? ")\nprint(repr(name))');
    expect(isError).toBe(false);
    expect(text).toBe("[The code asked for input (“Name?”). Nobody can type here, so it got an empty line.]\n''");
    expect(structuredContent.stdinRequested).toBe(true);
    const secret = await python('import getpass\nprint(repr(getpass.getpass()))');
    expect(secret.text).toContain("''");
    expect(secret.structuredContent.stdinRequested).toBe(true);
  });

  test('sys.exit is an end and no death', async () => {
    const { isError, structuredContent } = await python('kept = 1\nimport sys; sys.exit(3)');
    expect(isError).toBe(true);
    expect(structuredContent.cells[0]).toMatchObject({ status: 'error', exitCode: 3 });
    expect((await python('kept')).text).toBe('1');
  });

  test('long text is cut to its end and lies whole in the artifact', async () => {
    const { text, structuredContent } = await python('for i in range(50_000): print("line", i)');
    const { truncation, artifactId } = structuredContent;
    expect(truncation).toMatchObject({ totalLines: 50_000, totalBytes: 538_890 });
    expect(truncation!.outputBytes).toBeLessThanOrEqual(51_200);
    expect(text).toContain('line 49999\n[Output truncated: showing lines');
    expect(text).toContain(`of 50000 (${truncation!.outputBytes} of 538890 bytes). Full output: artifact://${artifactId}]`);
    const whole = await readFile(path.join(fixture.artifacts, `${artifactId}.txt`), 'utf8');
    expect(whole).toBe(Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join(''));
  });

  test('several long cells share the limit, and a short one keeps all it said', async () => {
    const { text, structuredContent } = await python(['print("a" * 90_000)', 'print("short")', 'print("b" * 90_000)']);
    const [a, short, b] = structuredContent.cells;
    expect(short!.output).toBe('short\n');
    const bytes = structuredContent.cells.reduce((sum, { output }) => sum + Buffer.byteLength(output), 0);
    expect(bytes).toBeLessThanOrEqual(51_200);
    expect(bytes).toBeGreaterThan(51_000);
    expect(Math.abs(a!.output.length - b!.output.length)).toBeLessThanOrEqual(2);
    expect(structuredContent.truncation!.cells.map(({ index }) => index)).toEqual([0, 2]);
    for (const { artifactId } of structuredContent.truncation!.cells) {
      expect(text).toContain(`artifact://${artifactId}`);
      expect((await readFile(path.join(fixture.artifacts, `${artifactId}.txt`), 'utf8')).length).toBe(90_001);
    }
    expect(structuredContent.artifactId).toBe(structuredContent.truncation!.cells[1]!.artifactId);
  });

  test('output of the system’s own level is there too', async () => {
    const { text } = await python('import os\nos.system("echo from the shell")\n!echo from a bang');
    expect(text.replaceAll('\r', '')).toContain('from the shell\n');
    expect(text).toContain('from a bang');
  });

  test('a folder that is gone is said in words', async () => {
    const cwd = await fixture.place('gone');
    await python('1', { cwd });
    const { rmdir } = await import('node:fs/promises');
    await rmdir(cwd);
    await expect(python('1', { cwd })).rejects.toThrow(/can’t be used \(ENOENT\)/);
    await mkdir(cwd);
    expect((await python('2', { cwd })).text).toBe('2');
  });
});
