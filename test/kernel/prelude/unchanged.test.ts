/**
 * The user's own code behaves with the helpers as it does without: the same cells run in a plain kernel and in one with the helpers, and
 * everything they show is compared. The hard part is that every cell counts, also those that use a helper's name for something else.
 */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preludeCode } from '../../../main/execution/prelude/prelude.ts';
import { KERNEL_PYTHONS } from '../../support/kernel-pythons.ts';
import { DrivenKernel } from './kernel-driver.ts';

/** Run one after the other; a later one sees what earlier ones did. */
const CELLS: readonly string[] = [
  'import os, sys, pickle, builtins',
  '__name__, __builtins__ is builtins, type(globals())',
  'sorted(vars(builtins)), open is builtins.open',
  'from os import stat; stat("script.py").st_size',
  'del stat',
  '%run script.py',
  'shared, __name__',
  'run script.py',
  'run -n script.py',
  '%who',
  '%whos',
  'class Mine:\n    def __init__(self): self.x = 1',
  'pickle.loads(pickle.dumps(Mine())).x',
  'def mine(): return [1, 2]\npickle.loads(pickle.dumps(mine))()',
  'env KEY_OF_TEST=5',
  'env KEY_OF_TEST',
  'os.environ["KEY_OF_TEST"]',
  '%env KEY_OF_TEST=6',
  'cp script.py copied.py',
  'mv copied.py moved.py',
  'sorted(name for name in os.listdir() if name.endswith(".py"))',
  'rm moved.py',
  'rm -f moved.py',
  'rm moved.py absent.py',
  '!echo shell',
  'lines = !echo one; echo two',
  'lines',
  'rm = 5',
  'rm moved.py',
  'rm',
  'env = {"a": 1}; env["a"]',
  'env',
  'run = lambda x: x * 2; run(4)',
  'run script.py',
  'for read in range(3): pass\nread',
  'def write(): return "mine"\nwrite()',
  'import find_nothing_of_this_name',
  'with open("w.txt", "w") as output: output.write("x")',
  'output.closed, open("w.txt").read()',
  '%%capture found\nprint("inside")',
  'found.stdout, found.stderr, found.outputs',
  'undefined_name',
  '1 / 0',
  'sys.exc_info()',
  'x = 1; x; _',
  'print("to stdout"); print("to stderr", file=sys.stderr)',
  '%%writefile made.py\nvalue = 7',
  'import made; made.value',
  'sys.stdout.__class__.__name__, sys.displayhook.__class__.__name__',
  'import signal, threading; signal.getsignal(signal.SIGINT).__name__, threading.active_count()',
  '[m for m in sys.modules if "prelude" in m]',
  'import subprocess; subprocess.run(["echo", "x"], capture_output=True).stdout',
  'from IPython.display import display, HTML; display(HTML("<b>x</b>"))',
  'import asyncio; await asyncio.sleep(0, "awaited")',
  '%reset_selective -f shared',
  '"shared" in globals()',
  '%reset -f',
  '%who',
  'read',
];

describe.each(KERNEL_PYTHONS)('$name', ({ python }) => {
  let folder: string;
  const kernels: DrivenKernel[] = [];

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'cellwright-unchanged-')));
    const interpreter = await python();
    for (const name of ['plain', 'helped']) {
      const kernel = await DrivenKernel.start(interpreter);
      kernels.push(kernel);
      await kernel.execute(
        `import os; os.makedirs(${JSON.stringify(path.join(folder, name))}); os.chdir(${JSON.stringify(path.join(folder, name))}); del os`,
        { silent: true },
      );
      await writeFile(path.join(folder, name, 'script.py'), 'shared = "from the script"\nprint(__name__, "read" in globals())\n');
    }
    await kernels[1]?.execute(preludeCode(), { silent: true });
  }, 600_000);

  afterAll(async () => {
    for (const kernel of kernels) await kernel.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(CELLS)('%s', async (code) => {
    const [plain, helped] = await Promise.all(kernels.map((kernel) => kernel.execute(code)));
    expect(helped).toEqual(plain);
  });
});
