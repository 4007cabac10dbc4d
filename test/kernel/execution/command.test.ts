/** `cellwright run` as people call it: files, exit codes, limits and Ctrl-C, in a process of its own with a real kernel. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cli, notebookText, openCli } from './cli-fixture.ts';

let cli: Cli;
let count = 0;
beforeAll(async () => {
  cli = await openCli();
});
afterAll(() => cli.close());

interface SavedCell {
  execution_count: number | null;
  outputs: { text?: string[]; ename?: string }[];
}

async function write(sources: readonly string[], metadata?: Record<string, unknown>): Promise<string> {
  const name = `notebook ${count++}.ipynb`;
  await writeFile(path.join(cli.folder, name), notebookText(sources, metadata));
  return name;
}

async function cells(name: string): Promise<SavedCell[]> {
  return (JSON.parse(await readFile(path.join(cli.folder, name), 'utf8')) as { cells: SavedCell[] }).cells;
}

async function printed(name: string): Promise<(string | undefined)[]> {
  return (await cells(name)).map(({ outputs: [output] }) => output?.text?.join('') ?? output?.ename);
}

describe('files', () => {
  it('writes to the notebook itself, atomically, with one line per cell on stderr', async () => {
    const name = await write(['print(1)', '', 'import os; print(os.getcwd())']);
    const { code, stdout, stderr } = await cli.run([name]);
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^\[1\/3\] done in [\d.]+ s\n\[2\/3\] done in 0.0 s\n\[3\/3\] done in [\d.]+ s\nWrote .*notebook \d+\.ipynb after [\d.]+ s\.\n$/,
    );
    expect(await printed(name)).toEqual(['1\n', undefined, `${cli.folder}\n`]);
  });

  it('writes elsewhere with -o and leaves the notebook alone', async () => {
    const name = await write(['print(1)']);
    const before = await readFile(path.join(cli.folder, name), 'utf8');
    await mkdir(path.join(cli.folder, 'out'));
    const { code } = await cli.run([name, '-o', 'out/done.ipynb']);
    expect(code).toBe(0);
    expect(await readFile(path.join(cli.folder, name), 'utf8')).toBe(before);
    expect(await printed('out/done.ipynb')).toEqual(['1\n']);
  });

  it.each<[string, string[], RegExp]>([
    ['no notebook', [], /One notebook/],
    ['two notebooks', ['a.ipynb', 'b.ipynb'], /One notebook/],
    ['an unknown option', ['a.ipynb', '--fast'], /--fast/],
    ['a limit that is none', ['a.ipynb', '--timeout', 'soon'], /number of seconds/],
    ['a limit of nothing', ['a.ipynb', '--timeout', '0'], /number of seconds/],
    ['a file that is not there', ['missing.ipynb'], /missing\.ipynb/],
  ])('refuses %s with code 2', async (_name, args, words) => {
    const { code, stderr } = await cli.run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('refuses a broken file and does not touch it', async () => {
    await writeFile(path.join(cli.folder, 'broken.ipynb'), '{"cells": [');
    const { code, stderr } = await cli.run(['broken.ipynb']);
    expect(code).toBe(2);
    expect(stderr).toContain('broken.ipynb');
    expect(await readFile(path.join(cli.folder, 'broken.ipynb'), 'utf8')).toBe('{"cells": [');
  });

  it('says before it runs anything that the notebook can’t be written', async () => {
    const name = await write(['print(1)']);
    await chmod(path.join(cli.folder, name), 0o400);
    const { code, stderr } = await cli.run([name]);
    expect(code).toBe(2);
    expect(stderr).toContain('-o');
  });

  it.each([
    ['no/such/folder/out.ipynb', 'The folder no/such/folder does not exist, so out\\.ipynb was not saved\\.'],
    ['jupyter', 'jupyter is a folder\\.'],
  ])('says before it runs anything that the result can’t go to %s', async (output, words) => {
    const name = await write(['open("ran", "w").close()']);
    const { code, stderr } = await cli.run([name, '-o', output]);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${words} [^\\n]+ Nothing was run\\.\\n$`));
    expect(await readdir(cli.folder)).not.toContain('ran');
  });

  it('lists its options and exit codes', async () => {
    const { code, stdout } = await cli.run(['--help']);
    expect(code).toBe(0);
    for (const word of ['--timeout', '--allow-errors', '--kernel', '124', '130']) expect(stdout).toContain(word);
  });
});

describe('failures', () => {
  it('keep what there is, and end with code 1', async () => {
    const name = await write(['print("first")', '1 / 0', 'print("never")']);
    const { code, stderr } = await cli.run([name]);
    expect(code).toBe(1);
    expect(stderr).toContain('Cell 2 failed: ZeroDivisionError: division by zero');
    expect(stderr).not.toContain('\x1b');
    expect(await printed(name)).toEqual(['first\n', 'ZeroDivisionError', undefined]);
  });

  it('are passed over with --allow-errors, and code 0', async () => {
    const name = await write(['1 / 0', 'print("next")']);
    expect((await cli.run([name, '--allow-errors'])).code).toBe(0);
    expect(await printed(name)).toEqual(['ZeroDivisionError', 'next\n']);
  });

  it('of the kernel end with code 3, keep what there is, and say why', async () => {
    const name = await write(['print("first")', 'import os; os._exit(7)', 'print("never")']);
    const { code, stderr } = await cli.run([name]);
    expect(code).toBe(3);
    expect(stderr).toContain('code 7');
    expect(await printed(name)).toEqual(['first\n', undefined, undefined]);
  });

  it.runIf(process.platform === 'linux')('of the connection end with code 3 and say which cell has no result', async () => {
    // The cell ends while the next kernel host stands still, so that nobody hears of its end.
    const code = `import os, signal, subprocess, time
program = os.getppid()
def hosts():
    children = open(f"/proc/{program}/task/{program}/children").read().split()
    return [int(pid) for pid in children if b"host.cjs" in open(f"/proc/{pid}/cmdline", "rb").read()]
print("begun", flush=True)
time.sleep(1)
old = hosts()
os.kill(old[0], signal.SIGKILL)
while not (new := [pid for pid in hosts() if pid not in old]): pass
os.kill(new[0], signal.SIGSTOP)
subprocess.Popen(["sh", "-c", f"sleep 2; kill -CONT {new[0]}"], start_new_session=True)`;
    const name = await write([code, 'print("next")']);
    const { code: exit, stderr } = await cli.run([name, '--allow-errors']);
    expect(stderr).toContain(
      'Cell 1: The connection to the kernel broke while it ran: the rest of its output and its result are missing. Run the notebook again.',
    );
    expect(exit).toBe(3);
    const [first, second] = await printed(name);
    expect(first).toMatch(/^begun\n/);
    expect(second).toBeUndefined();
  });

  it('keep what an Output widget took in, which is in no cell', async () => {
    const widget = 'import ipywidgets, os\nout = ipywidgets.Output()\nwith out: print("taken in")';
    const name = await write([widget, 'os._exit(7)']);
    expect((await cli.run([name])).code).toBe(3);
    expect(await printed(name)).toEqual([undefined, undefined]);
    const { metadata } = JSON.parse(await readFile(path.join(cli.folder, name), 'utf8')) as { metadata: object };
    expect(JSON.stringify(metadata)).toContain('taken in');
  });

  it('also when the code ends the kernel in good order', async () => {
    const name = await write(['print("bye"); exit()', 'print("never")']);
    expect((await cli.run([name])).code).toBe(3);
    expect(await printed(name)).toEqual(['bye\n', undefined]);
    const last = await write(['print("bye"); exit()']);
    expect((await cli.run([last])).code).toBe(0);
  });

  it('of a kernel that is not there are code 3 and name those that are', async () => {
    const { code, stderr } = await cli.run([await write(['1']), '--kernel', 'nonesuch']);
    expect(code).toBe(3);
    expect(stderr).toContain('nonesuch');
    expect(stderr).toContain('test');
  });

  it('of a kernel that does not start are code 3 with its own words', async () => {
    const folder = path.join(cli.folder, 'jupyter', 'kernels', 'broken');
    await mkdir(folder, { recursive: true });
    const argv = [process.execPath, '-e', 'console.error("broken on purpose"); process.exit(1)', '{connection_file}'];
    await writeFile(path.join(folder, 'kernel.json'), JSON.stringify({ argv, display_name: 'Broken', language: 'python' }));
    const { code, stderr } = await cli.run([await write(['1']), '--kernel', 'broken']);
    expect(code).toBe(3);
    expect(stderr).toContain('broken on purpose');
  });
});

describe('limits', () => {
  it('interrupt the cell, keep its output and end with code 124', async () => {
    const name = await write(['print("begun", flush=True)\nwhile True: pass', 'print("never")']);
    const { code, stderr } = await cli.run([name, '--timeout', '1.5']);
    expect(code).toBe(124);
    expect(stderr).toContain('Cell 1 took longer than 1.5 seconds.');
    expect(await printed(name)).toEqual(['begun\n', undefined]);
    expect((await cells(name))[0]!.outputs[1]!.ename).toBe('KeyboardInterrupt');
  });

  it('go on to the next cell with --allow-errors, and still say 124', async () => {
    const name = await write(['while True: pass', 'print("next")']);
    expect((await cli.run([name, '--timeout', '1', '--allow-errors'])).code).toBe(124);
    expect((await printed(name))[1]).toBe('next\n');
  });

  it('are for each cell', async () => {
    const name = await write(['import time; time.sleep(0.8)', 'time.sleep(0.8)', 'print("done")']);
    expect((await cli.run([name, '--timeout', '1.5'])).code).toBe(0);
  });

  it('interrupt once more when the first interrupt was dropped, and the kernel goes on to the next cell', async () => {
    const code = `import signal
class Slow:
  def __del__(self):
    print("begun", flush=True)
    while not dropped: pass
dropped = []
signal.signal(signal.SIGINT, lambda *_: (dropped.append(1), signal.signal(signal.SIGINT, signal.default_int_handler), 1 / 0))
Slow()
while True: pass`;
    const name = await write([code, 'print(len(dropped))']);
    const { code: exit } = await cli.run([name, '--timeout', '5', '--allow-errors']);
    expect(exit).toBe(124);
    expect((await printed(name))[1]).toBe('1\n');
  });

  it('end a kernel that ignores the interrupt', async () => {
    const name = await write([
      'import time\nprint("begun", flush=True)\nwhile True:\n  try: time.sleep(9)\n  except KeyboardInterrupt: pass',
    ]);
    expect((await cli.run([name, '--timeout', '1'])).code).toBe(124);
    expect(await printed(name)).toEqual(['begun\n']);
  });
});

describe('Ctrl-C', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('by %s interrupts, keeps what there is and ends with code 130', async (signal) => {
    const mark = path.join(cli.folder, `begun ${signal}`);
    const name = await write([
      'print("first")',
      `open(${JSON.stringify(mark)}, "w").close()\nprint("begun", flush=True)\nwhile True: pass`,
    ]);
    let killed = false;
    const { code, stderr } = await cli.run([name], {
      onStderr: (_text, kill) => {
        if (killed) return;
        killed = true;
        const look = setInterval(() => {
          stat(mark).then(
            () => {
              clearInterval(look);
              // The first output is on its way.
              setTimeout(() => kill(signal), 300);
            },
            () => {},
          );
        }, 20);
      },
    });
    expect(code).toBe(130);
    expect(stderr).toContain('cancelled');
    expect(await printed(name)).toEqual(['first\n', 'begun\n']);
  });
});

it('takes the notebook’s own kernel, refuses input, and leaves IPython’s history alone', async () => {
  const name = await write([
    'print(get_ipython().history_manager.hist_file)',
    'try: input("n")\nexcept BaseException as e: print(type(e).__name__)',
  ]);
  expect((await cli.run([name])).code).toBe(0);
  expect(await printed(name)).toEqual([':memory:\n', 'StdinNotImplementedError\n']);
});
