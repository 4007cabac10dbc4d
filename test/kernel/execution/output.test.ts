/** What real code prints and shows ends up in its cell as people expect it. Real kernel. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import type { SpilledPayload } from '../../../main/execution/run-protocol.ts';
import type { DataOutput, StreamOutput } from '../../../preload/output-change.ts';
import { openSession, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
beforeAll(async () => {
  fixture = await openSession();
});
afterAll(() => fixture.close());

/** Runs one new cell and gives its key. */
async function run(source: string): Promise<string> {
  const key = fixture.notebook.code(source);
  await fixture.session.runCells([key], { allowErrors: true });
  return key;
}

const text = (key: string) => fixture.notebook.text(key);
const outputs = (key: string) => fixture.notebook.cell(key)!.outputs;

describe('late output', () => {
  it('of a thread comes to its cell after idle, and the cell stays done', async () => {
    const key = await run(
      'import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.5), print("late"))).start()\nprint("first")',
    );
    expect(text(key)).toBe('first\n');
    await until(() => text(key) === 'first\nlate\n', 'the late line');
    expect(fixture.session.runs().get(key)!.state).toBe('done');
  });

  it('of a thread while another cell runs goes where the kernel says, and nothing is lost or cleared', async () => {
    const first = await run('def lines():\n  for i in range(5): time.sleep(0.2); print("line", i)\nthreading.Thread(target=lines).start()');
    const second = await run('print("second"); time.sleep(0.5)');
    const all = () => [...text(first).matchAll(/line \d/g), ...text(second).matchAll(/line \d/g)].map(([line]) => line);
    await until(() => all().length === 5, 'all the lines');
    expect(all().sort()).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
    expect(text(second).startsWith('second\n')).toBe(true);
  });

  it('clears and shows again from a callback after the run', async () => {
    const key = await run(
      'import asyncio\nfrom IPython.display import clear_output, display\nprint("old")\ndef later():\n  clear_output(wait=True); display("new")\n_ = asyncio.get_event_loop().call_later(0.5, later)',
    );
    expect(text(key)).toBe('old\n');
    await until(() => text(key) === "<'new'>", 'the new display');
  });
});

describe('displays', () => {
  it('with one id change in every cell', async () => {
    const first = await run('h = display("p", display_id="k")');
    const second = await run('display("p", display_id="k");');
    await run('h.update("q")');
    await until(() => text(first) === "<'q'>" && text(second) === "<'q'>", 'both updates');
    const same = await run('g = display("a", display_id=True); g.update("b")');
    expect(text(same)).toBe("<'b'>");
  });

  it('replace one another under clear_output(wait)', async () => {
    const key = await run('for i in range(10):\n  clear_output(wait=True); print(i); time.sleep(0.02)');
    expect(text(key)).toBe('9\n');
  });

  it('of large images travel as artifacts that give them back exactly', async () => {
    const key = await run(
      'import base64, os\nraw = os.urandom(900_000)\ndisplay({"image/png": base64.b64encode(raw).decode(), "text/plain": "big"}, raw=True)\nimport hashlib; print(hashlib.sha256(raw).hexdigest())',
    );
    const [image, hash] = outputs(key) as [DataOutput<unknown>, StreamOutput];
    const spilled = image.data['image/png'] as SpilledPayload;
    expect(image.data['text/plain']).toBe('big');
    expect(spilled).toMatchObject({ bytes: 900_000, encoding: 'base64' });
    const { createHash } = await import('node:crypto');
    expect(
      createHash('sha256')
        .update(await readFile(spilled.file))
        .digest('hex'),
    ).toBe(hash.text.trim());
    expect(await new ArtifactStore(fixture.artifacts).resolve(spilled.$artifact)).toMatchObject({ mime: 'image/png', kind: 'payload' });
  });

  it('that claim to lie in a file of ours are not believed', async () => {
    const claim = '{"$artifact": "0", "file": "/etc/passwd", "bytes": 1, "encoding": "utf8"}';
    const key = await run(`display({"application/json": ${claim}, "text/plain": ${claim}}, raw=True)`);
    const [shown] = outputs(key) as [DataOutput<unknown>];
    for (const payload of Object.values(shown.data) as SpilledPayload[]) {
      expect(path.dirname(payload.file)).toBe(fixture.artifacts);
      expect(JSON.parse(await readFile(payload.file, 'utf8'))).toMatchObject({ file: '/etc/passwd' });
    }
    const page = await run(`get_ipython().payload_manager.write_payload({"source": "page", "data": {"text/plain": ${claim}}, "start": 0})`);
    const [paged] = outputs(page) as [DataOutput<unknown>];
    expect(path.dirname((paged.data['text/plain'] as SpilledPayload).file)).toBe(fixture.artifacts);
  });

  it('of widgets and unknown comms do no harm', async () => {
    const key = await run('import ipywidgets; ipywidgets.IntSlider(3)');
    expect((outputs(key)[0] as DataOutput<unknown>).data).toHaveProperty(['application/vnd.jupyter.widget-view+json']);
    const comm = await run('from comm import create_comm\nc = create_comm("nobody", data={"a": 1}); c.send({"b": 2}); print("ok")');
    expect(text(comm)).toBe('ok\n');
  });

  it('of help appear in the cell', async () => {
    expect(text(await run('len?'))).toContain('Return the number of items');
  });
});

describe('progress bars', () => {
  it('are one line, message by message', async () => {
    const key = await run('for i in range(101): print(i, end="\\r", flush=True); time.sleep(0.002)');
    expect(text(key)).toBe('100');
  });

  it('stacked with cursor movement are two lines', async () => {
    const key = await run(
      'import sys\nsys.stdout.write("\\n")\nfor i in range(20):\n  sys.stdout.write(f"\\x1b[A\\router {i}\\n\\rinner {i % 5}"); sys.stdout.flush(); time.sleep(0.005)',
    );
    expect(text(key)).toBe('outer 19\ninner 4');
  });
});

describe('errors', () => {
  it('keep what looks like HTML, letter for letter', async () => {
    const key = await run('raise ValueError(str(type(print)) + " \\x1b[31m<i>x</i>\\x1b[0m")');
    const [error] = outputs(key);
    expect(JSON.stringify(error)).toContain('<i>x</i>');
    expect(error).toMatchObject({ evalue: "<class 'builtin_function_or_method'> \x1b[31m<i>x</i>\x1b[0m" });
  });

  it('of a failing repr are shown, and the status is the reply’s', async () => {
    const key = await run('class R:\n  def __repr__(self): raise RuntimeError("repr")\nR()');
    expect(text(key)).toContain('<RuntimeError: repr>');
    const shown = await run('try: 1 / 0\nexcept Exception: get_ipython().showtraceback()');
    expect(text(shown)).toContain('<ZeroDivisionError: division by zero>');
    expect(fixture.session.runs().get(shown)!.state).toBe('done');
  });

  it('of a failing rich repr come first, with the plain one below, and what follows a failing plain one is not run', async () => {
    const rich = await run(
      'class B:\n  def _repr_mimebundle_(self, **_): raise RuntimeError("bundle")\n  def __repr__(self): return "plain"\nB()',
    );
    expect(text(rich)).toMatch(/RuntimeError[\s\S]*bundle[\s\S]*<plain>$/);
    const failing = fixture.notebook.code('class P:\n  def __repr__(self): raise RuntimeError("plain")\nP()');
    const next = fixture.notebook.code('print("ran")');
    const { failure } = await fixture.session.runCells([failing, next]);
    expect(failure).toMatchObject({ key: failing, error: { ename: 'RuntimeError', evalue: 'plain' } });
    expect(outputs(failing)[0]).toMatchObject({ type: 'error', ename: 'RuntimeError', evalue: 'plain' });
    expect([fixture.session.runs().get(next)!.state, outputs(next)]).toEqual(['cancelled', []]);
  });

  it('with a huge message are cut', async () => {
    const key = await run('raise ValueError("x" * 5_000_000)');
    expect(JSON.stringify(outputs(key)).length).toBeLessThan(500_000);
    expect(text(key)).toContain('characters left out');
  });
});

it('a forked child that comes back neither ends nor repeats the run', async () => {
  const key = await run('import os\npid = os.fork()\nif pid: os.waitpid(pid, 0); print("parent")\nelse: os._exit(0)');
  expect(text(key)).toBe('parent\n');
  expect(text(await run('print("next")'))).toBe('next\n');
});

describe('floods', () => {
  it('of lines keep beginning and end, count the rest, and the artifact has all', async () => {
    const { notebook } = fixture;
    notebook.largest = 0;
    const key = await run('for i in range(300_000): print("line", i)\nprint("END")');
    const [stream] = outputs(key) as [StreamOutput];
    expect(outputs(key)).toHaveLength(1);
    const { omitted } = stream;
    expect(stream.text.startsWith('line 0\nline 1\n')).toBe(true);
    expect(stream.text.endsWith('line 299999\nEND\n')).toBe(true);
    expect(Buffer.byteLength(stream.text)).toBeLessThanOrEqual(1024 * 1024);
    expect(stream.text.slice(omitted!.at).startsWith('line ')).toBe(true);
    expect(omitted!.lines + stream.text.split('\n').length - 1).toBe(300_001);
    const artifact = await new ArtifactStore(fixture.artifacts).resolve(omitted!.artifactId!);
    const whole = Array.from({ length: 300_000 }, (_, index) => `line ${index}\n`).join('');
    await settled(artifact!.file, whole.length + 4);
    expect(await readFile(artifact!.file, 'utf8')).toBe(`${whole}END\n`);
    expect(artifact).toMatchObject({ kind: 'stream', mime: 'text/plain', source: { areaId: key, name: 'stdout' } });
    expect(notebook.largest).toBeLessThanOrEqual(256 * 1024 + 1);
  });

  it('of many small flushed writes lose none', async () => {
    const key = await run('import sys\nfor i in range(5_000): sys.stderr.write(f"{i}\\n"); sys.stderr.flush()');
    expect(text(key)).toBe(Array.from({ length: 5_000 }, (_, index) => `${index}\n`).join(''));
  });

  it('of one long line with colours are kept whole', async () => {
    const key = await run('print("".join(f"\\x1b[3{i % 8}mx" for i in range(40_000)) + "\\x1b[0m")');
    expect(text(key).replace(/\x1b\[\d+m/g, '')).toBe(`${'x'.repeat(40_000)}\n`);
  });

  it('of alternating streams make a bounded number of outputs', async () => {
    const key = await run(
      'import sys\nfor i in range(3_000): print(i); sys.stdout.flush(); print(-i, file=sys.stderr); sys.stderr.flush()',
    );
    expect(outputs(key).length).toBeLessThanOrEqual(1_000);
    const lines = (name: string) => outputs(key).flatMap((output) => (output.type === 'stream' && output.name === name ? output.text : ''));
    expect(lines('stdout').join('')).toBe(Array.from({ length: 3_000 }, (_, index) => `${index}\n`).join(''));
  });
});

/** The file is written behind the run; waits until it has its size. */
async function settled(file: string, bytes: number): Promise<void> {
  const limit = Date.now() + 30_000;
  while ((await stat(file)).size < bytes && Date.now() < limit) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('puts artifacts into the session’s folder alone', async () => {
  const artifacts = await new ArtifactStore(fixture.artifacts).list();
  expect(artifacts.length).toBeGreaterThan(0);
  for (const { file } of artifacts) expect(path.dirname(file)).toBe(fixture.artifacts);
});

describe('outputs cleared by hand', () => {
  it('of a running cell stay cleared, and what comes next is shown', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('for i in range(20): print("line", i, flush=True); time.sleep(0.05)');
    const run = session.runCells([key]);
    await until(() => text(key).includes('line 5'), 'the fifth line');
    const { count } = notebook.cell(key)!;
    Object.assign(notebook.cell(key)!, { outputs: [], count: null });
    session.outputsCleared([key]);
    await run;
    expect(notebook.cell(key)!.count).toBe(count);
    expect(count).not.toBeNull();
    expect(text(key)).not.toContain('line 3\n');
    expect(text(key).endsWith('line 18\nline 19\n')).toBe(true);
  });

  it('are no longer changed by their display_id', async () => {
    const { session, notebook } = fixture;
    const key = await run('h = display("p", display_id="cleared"); print("x")');
    notebook.cell(key)!.outputs = [];
    session.outputsCleared([key]);
    await run('h.update("q")');
    expect(outputs(key)).toEqual([]);
  });

  it('without a word about it make the cell begin anew, and nothing fails', async () => {
    const { session, notebook } = fixture;
    const key = notebook.code('print("before", flush=True); time.sleep(0.4)\nfor i in range(10): print(i, flush=True); time.sleep(0.05)');
    const running = session.runCells([key]);
    await until(() => text(key).includes('before'), 'the first line');
    notebook.cell(key)!.outputs = [];
    expect((await running).status).toBe('ok');
    expect(text(key).endsWith('9\n')).toBe(true);
  });
});
