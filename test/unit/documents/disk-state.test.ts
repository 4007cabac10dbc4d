/** When a file's time alone tells that it is unchanged, and when its bytes have to be looked at. Times are set by hand, so no clock ticks meanwhile. */
import { stat, utimes, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { diskState } from '../../../main/documents/disk-state.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Whether a file last changed so many milliseconds ago is to be looked into. `whole`: its system keeps whole seconds. */
async function isRacy(agoMs: number, { whole }: { whole: boolean }): Promise<boolean> {
  const file = folder.path('a.ipynb');
  await writeFile(file, '{}');
  const changed = Date.now() / 1000 - agoMs / 1000;
  // Never a whole second by accident.
  const seconds = whole ? Math.floor(changed) : Math.floor(changed * 1000) / 1000 + 0.000_25;
  await utimes(file, seconds, seconds);
  return diskState(await stat(file, { bigint: true })).racy;
}

it.each([
  ['changed just now, by the clock of another machine', -1_000, false, true],
  ['changed a tenth of a second ago', 100, false, false],
  ['changed a moment ago, by whole seconds', 200, true, true],
  ['changed three seconds ago, by whole seconds', 3_000, true, false],
])('a file that was %s', async (_what, agoMs, whole, racy) => {
  expect(await isRacy(agoMs, { whole })).toBe(racy);
});
