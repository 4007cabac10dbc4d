/**
 * A kernel that hangs as if in native code, and answers nothing: what is typed is saved all the same, however often that is asked for.
 *
 * The kernel is stopped from here once its words are seen. One that stops itself right after a flushed print often stops before ZeroMQ's own thread
 * has written those words to the socket (15 of 40 on a busy machine).
 */
import path from 'node:path';
import { expect, it } from 'vitest';
import { appInPlace } from '../window/app-in-place.ts';
import { codeCell, readNotebook, until, writeNotebook } from '../window/start-app.ts';
import { drawn, KERNEL_LIMIT_MS, outputOf, runCell, typeSource } from './notebook-page.ts';

const at = appInPlace('test');

it('a save does not wait for the kernel', async () => {
  const hang = 'import os, time\nprint("hangs now", os.getpid(), flush=True)\ntime.sleep(600)';
  const file = await writeNotebook(path.join(at.place.folder, 'a.ipynb'), [codeCell(hang), codeCell('b')]);
  const { page } = await at.start([file]);
  await drawn(page);
  await runCell(page, 0);
  const words = outputOf(page, 0).getByText(/hangs now \d+/);
  await words.waitFor({ timeout: KERNEL_LIMIT_MS });
  process.kill(Number((await words.textContent())!.match(/\d+/)![0]), 'SIGSTOP');
  const saved = async (): Promise<string> => [(await readNotebook(file)).cells[1]!.source].flat().join('');
  for (const text of ['first', 'second']) {
    await typeSource(page, 1, text);
    await page.keyboard.press('Control+S');
    await page.keyboard.press('Control+S');
    await until(async () => (await saved()) === text);
  }
  expect(JSON.stringify((await readNotebook(file)).cells[0]!.outputs)).toContain('hangs now');
  expect(at.app.problems).toEqual([]);
});
