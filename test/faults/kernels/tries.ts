/**
 * Tries kinds of faults and counts how they end: in a right result, in an exact error, wrong, or not at all. A try that takes longer than its
 * kind may is counted as hung and left to itself; what it leaves behind shows in the last column.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { descriptors, type Ground, type Leftovers, openGround, type Scene, type SceneOptions } from './ground.ts';
import { type Random, seededRandom } from './random.ts';

/** `right`: all that was asked for is there. `error`: it isn't, and the words for the person say exactly why. */
export type Outcome = 'right' | 'error';

export interface Attempt {
  ground: Ground;
  random: Random;
  /** In a campaign, which has the time for what takes hundreds of kernels. */
  campaign: boolean;
  /** A new notebook with a session; shut down after the try. */
  open(options?: SceneOptions): Scene;
}

export interface FaultKind {
  name: string;
  /** From the first call to the last check, on a slow machine. Longer is hung. */
  limitMs: number;
  /** In a campaign, and in the tests. */
  tries: number;
  sample: number;
  /** Why it can't be tried here, or null. */
  lacks?(): string | null;
  /** Throws when something is wrong. */
  attempt(attempt: Attempt): Promise<Outcome>;
}

export interface Tally {
  kind: string;
  tries: number;
  right: number;
  errors: number;
  hung: number;
  wrong: { seed: number; error: unknown }[];
  left: Leftovers;
}

/** Between a try's end and its session's. */
const SHUTDOWN_LIMIT_MS = 30_000;

/** For descriptors of this process that close behind what closed them. */
const DESCRIPTORS_MS = 3_000;

/** What stays open for good is opened by the first use of everything. */
let warm: Promise<void> | null = null;

/** Tries a kind with the seeds from `seed` on, several at a time, each with a ground of its own. */
export async function tryKind(kind: FaultKind, tries: number, seed: number, lanes: number, campaign = false): Promise<Tally> {
  const tally: Tally = {
    kind: kind.name,
    tries,
    right: 0,
    errors: 0,
    hung: 0,
    wrong: [],
    left: { processes: 0, files: 0, descriptors: 0 },
  };
  let next = 0;
  const lane = async (): Promise<void> => {
    const ground = await openGround();
    while (next < tries) {
      const trySeed = seed + next;
      next += 1;
      await tryOnce(kind, ground, trySeed, tally, campaign);
    }
    const left = await ground.leftovers();
    for (const what of ['processes', 'files', 'descriptors'] as const) tally.left[what] += left[what];
    await ground.close();
  };
  warm ??= openGround().then((ground) => ground.close());
  await warm;
  const before = descriptors('self');
  await Promise.all(Array.from({ length: Math.min(lanes, tries) }, lane));
  for (const end = Date.now() + DESCRIPTORS_MS; descriptors('self') > before && Date.now() < end; ) await delay(50);
  tally.left.descriptors += Math.max(0, descriptors('self') - before);
  return tally;
}

async function tryOnce(kind: FaultKind, ground: Ground, seed: number, tally: Tally, campaign: boolean): Promise<void> {
  const scenes: Scene[] = [];
  const open = (options?: SceneOptions): Scene => {
    const scene = ground.open(options);
    scenes.push(scene);
    return scene;
  };
  const attempt = kind.attempt({ ground, random: seededRandom(seed), campaign, open });
  try {
    const outcome = await within(attempt, kind.limitMs);
    if (outcome === 'right') tally.right += 1;
    else tally.errors += 1;
    await within(Promise.all(scenes.map(({ session }) => session.shutdown())), SHUTDOWN_LIMIT_MS);
  } catch (error) {
    if (error instanceof HungError) tally.hung += 1;
    tally.wrong.push({ seed, error });
    await Promise.race([Promise.allSettled(scenes.map(({ session }) => session.shutdown())), delay(SHUTDOWN_LIMIT_MS)]);
  }
}

class HungError extends Error {
  override name = 'HungError';
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const over = new AbortController();
  const limit = delay(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new HungError(`Not over after ${limitMs / 1000} seconds.`);
  });
  limit.catch(() => {});
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

export function isClean({ hung, wrong, left }: Tally): boolean {
  return hung === 0 && wrong.length === 0 && left.processes + left.files + left.descriptors === 0;
}
