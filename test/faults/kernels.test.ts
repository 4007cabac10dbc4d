/**
 * A sample of the fault campaign: each kind of fault at least once. A failure names its seed, with which `npm run campaign -- kernels --seed n
 * --only <kind>` tries the same again.
 */
import { expect, test } from 'vitest';
import { openGround } from './kernels/ground.ts';
import { KINDS } from './kernels/kinds.ts';
import { isClean, tryKind } from './kernels/tries.ts';

/** Together they wait for heartbeats and probes as long as one of them would. */
const LANES = 2;

const seed = Date.now() % 1_000_000;

for (const kind of process.platform === 'linux' ? KINDS : []) {
  test(kind.name, { timeout: kind.limitMs * (kind.sample + 1) }, async (context) => {
    const lacks = kind.lacks?.() ?? null;
    if (lacks !== null) context.skip(lacks);
    const tally = await tryKind(kind, kind.sample, seed, LANES);
    const wrong = tally.wrong.map(({ seed: trySeed, error }) => `seed ${trySeed}: ${error instanceof Error ? error.message : error}`);
    expect({ wrong, left: tally.left }).toEqual({ wrong: [], left: { processes: 0, files: 0, descriptors: 0 } });
    expect(isClean(tally)).toBe(true);
  });
}

test.runIf(process.platform === 'linux')('what is left over is counted, also what has left the kernel’s group', async () => {
  const ground = await openGround();
  try {
    const { session, notebook } = ground.open();
    await session.runCells([notebook.code("import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)")]);
    const left = await ground.leftovers();
    expect(left).toMatchObject({ processes: 2, files: 2 });
    expect(left.descriptors).toBeGreaterThan(0);
  } finally {
    await ground.close();
  }
});
