/** Who makes room, who waits and what a sweep ends, as tables. */
import { describe, expect, it } from 'vitest';
import { admission, POOL_LIMITS, type PooledSession, purged, swept } from '../../../main/execution/agents/pool-policy.ts';

/** `a` is a session; `*` it is busy, `!` pinned, `x` dead; the number is when it was used last. */
function sessions(text: string): PooledSession[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((word) => {
      const [, key, marks, time] = /^([a-z]+)([*!+x]*?)(\d*)$/.exec(word.replace('x', '+'))!;
      return { key: key!, busy: marks!.includes('*'), pinned: marks!.includes('!'), dead: marks!.includes('+'), lastUsed: Number(time) };
    });
}

it('has the limits that were agreed on', () => {
  expect(POOL_LIMITS).toEqual({ sessions: 4, idleMs: 300_000, sweepMs: 30_000 });
});

describe('a newcomer', () => {
  it.each([
    ['comes in when there is room', 'a1 b2 c3', []],
    ['comes in when there is nobody', '', []],
    ['takes the place of the one that was used least recently', 'a3 b1 c2 d4', ['b']],
    ['never takes that of a busy one', 'a*1 b*2 c3 d*4', ['c']],
    ['waits when all are busy', 'a*1 b*2 c*3 d*4', null],
    ['does not count pinned ones', 'a!1 b!2 c!3 d!4 e*5 f*6 g*7', []],
    ['never takes the place of a pinned one', 'p!0 a*1 b*2 c*3 d9', ['d']],
    ['waits for the busy ones although pinned ones are idle', 'p!0 a*1 b*2 c*3 d*4', null],
    ['takes the place of a dead one first', 'a1 b2 cx9 d4', ['c']],
    ['does not take that of a dead one that is busy', 'a1 b*x0 c*3 d*4', ['a']],
    ['takes more places when unpinned ones are too many', 'a3 b2 c1 d4 e*5', ['c', 'b']],
    ['waits when too few of too many are idle', 'a*3 b*2 c1 d*4 e*5', null],
  ])('%s: %s', (_name, text, end) => {
    expect(admission(sessions(text), 4)).toEqual(end === null ? { wait: true } : { wait: false, end });
  });
});

describe('a sweep at 1000 with a limit of 300', () => {
  it.each([
    ['ends what was idle that long', 'a700 b701 c100', ['a', 'c']],
    ['leaves what is busy, however long ago it was used', 'a*0', []],
    ['leaves what is pinned', 'a!0 bx!0', []],
    ['ends what is dead at once', 'ax1000 b1000', ['a']],
    ['leaves what is dead but busy', 'a*x0', []],
  ])('%s: %s', (_name, text, keys) => {
    expect(swept(sessions(text), 1000, 300)).toEqual(keys);
  });
});

it('a purge ends all that is idle and nothing else', () => {
  expect(purged(sessions('a1 b*2 c!3 dx4 e*x5'))).toEqual(['a', 'd']);
});
