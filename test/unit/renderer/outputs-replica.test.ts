/** Outputs of a window: fetched once when seen, current whatever order fetches and changes come in. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { CallArgs, WindowOutput } from '../../../preload/contract.ts';
import { OutputsReplica } from '../../../renderer/notebook/outputs-replica.ts';
import { FakeMain } from '../../support/renderer-harness/fake-main.ts';

const stream = (text: string): WindowOutput => ({ type: 'stream', name: 'stdout', text });
const append = (text: string) => ({ op: 'append' as const, output: stream(text) });

let main: FakeMain;
let changed: string[];
let answers: (() => void)[];
let stored: Record<string, WindowOutput[]>;

beforeEach(() => {
  main = new FakeMain();
  changed = [];
  answers = [];
  stored = { a: [stream('1')], b: [stream('2'), stream('3')] };
  // Main takes the picture when it is asked; the answer arrives when the test lets it.
  main.handlers.set('doc.outputs', ({ keys }: CallArgs<'doc.outputs'>) => {
    const picture = Object.fromEntries(keys.map((key) => [key, stored[key] ?? []]));
    return new Promise((resolve) => answers.push(() => resolve(picture)));
  });
});

const make = (counts: Record<string, number> = { a: 1, b: 2 }) => new OutputsReplica(main.bridge, 'd', counts, (key) => changed.push(key));
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
async function answer(): Promise<void> {
  await settle();
  for (const give of answers.splice(0)) give();
  await settle();
}
const texts = (outputs: readonly WindowOutput[] | null) => outputs?.map((output) => (output.type === 'stream' ? output.text : '?')) ?? null;

describe('fetching', () => {
  it('asks once for all cells that came into view together', async () => {
    const replica = make();
    replica.view('a');
    replica.view('b');
    expect(replica.get('a')).toBeNull();
    await answer();
    expect(main.calls.map(({ args }) => (args as CallArgs<'doc.outputs'>).keys)).toEqual([['a', 'b']]);
    expect(texts(replica.get('b'))).toEqual(['2', '3']);
    expect(changed.sort()).toEqual(['a', 'b']);
  });

  it('asks nothing for cells without outputs', async () => {
    const replica = make({});
    replica.view('a');
    await settle();
    expect(main.calls).toEqual([]);
    expect(replica.get('a')).toEqual([]);
    expect(replica.get('a')).toBe(replica.get('other'));
  });

  it('does not ask again when the cell comes back', async () => {
    const replica = make();
    replica.view('a')();
    await answer();
    replica.view('a');
    await settle();
    expect(main.calls).toHaveLength(1);
  });
});

describe('changes', () => {
  it('applies them to what is known', async () => {
    const replica = make();
    replica.view('a');
    await answer();
    replica.apply([{ key: 'a', changes: [append('x'), { op: 'text', index: 1, at: 1, remove: 0, insert: 'y' }] }]);
    expect(texts(replica.get('a'))).toEqual(['1', 'xy']);
    expect(replica.count('a')).toBe(2);
  });

  it('knows a cell that had none from its first output on', () => {
    const replica = make({});
    replica.apply([{ key: 'new', changes: [append('x')] }]);
    expect(texts(replica.get('new'))).toEqual(['x']);
  });

  it('does not apply twice what is already in the answer', async () => {
    const replica = make();
    replica.view('a');
    await settle();
    // Main settled what was pending before it took the picture, so this change is in the answer.
    replica.apply([{ key: 'a', changes: [append('in the picture')] }]);
    for (const give of answers.splice(0)) give();
    await settle();
    expect(texts(replica.get('a'))).toEqual(['1']);
    replica.apply([{ key: 'a', changes: [append('after')] }]);
    expect(texts(replica.get('a'))).toEqual(['1', 'after']);
  });

  it('counts what nobody looks at, and fetches it when somebody does', async () => {
    const replica = make({ a: 1 });
    replica.apply([{ key: 'a', changes: [append('x'), append('y')] }]);
    expect([replica.get('a'), replica.count('a')]).toEqual([null, 3]);
    replica.apply([{ key: 'a', changes: [{ op: 'clear' }] }]);
    expect(replica.get('a')).toEqual([]);
    replica.apply([{ key: 'a', changes: [append('z')] }]);
    expect(texts(replica.get('a'))).toEqual(['z']);
  });

  it('fetches anew when a change does not fit', async () => {
    const replica = make();
    replica.view('a');
    await answer();
    stored.a = [stream('whole')];
    replica.apply([{ key: 'a', changes: [{ op: 'text', index: 7, at: 0, remove: 0, insert: 'x' }] }]);
    expect(replica.get('a')).toBeNull();
    await answer();
    expect(texts(replica.get('a'))).toEqual(['whole']);
  });

  it('keeps outputs that did not change as they are', async () => {
    const replica = make();
    replica.view('b');
    await answer();
    const first = replica.get('b')![0];
    replica.apply([{ key: 'b', changes: [append('x')] }]);
    expect(replica.get('b')![0]).toBe(first);
  });
});

it('forgets the longest unseen when many were seen, never those in view', async () => {
  const keys = Array.from({ length: 400 }, (_, index) => `k${index}`);
  stored = Object.fromEntries(keys.map((key) => [key, [stream(key)]]));
  const replica = make(Object.fromEntries(keys.map((key) => [key, 1])));
  replica.view('k0');
  for (const key of keys.slice(1)) replica.view(key)();
  await answer();
  replica.view('k399')();
  expect(texts(replica.get('k0'))).toEqual(['k0']);
  expect(replica.get('k1')).toBeNull();
  expect(texts(replica.get('k399'))).toEqual(['k399']);
  expect(keys.filter((key) => replica.get(key) !== null).length).toBeLessThanOrEqual(301);
});

describe('a notebook that was opened without its outputs', () => {
  const held = () => new OutputsReplica(main.bridge, 'd', { a: 1, b: 2 }, (key) => changed.push(key), { hold: true });

  it('asks for them when the person does, of one cell or of all that are in view', async () => {
    const replica = held();
    for (const key of ['a', 'b']) replica.view(key);
    await settle();
    expect(main.calls).toEqual([]);
    expect([replica.get('a'), replica.isHeld('a'), replica.count('b'), replica.hasHeld]).toEqual([null, true, 2, true]);
    replica.load(['a']);
    await answer();
    expect([texts(replica.get('a')), replica.get('b')]).toEqual([['1'], null]);
    replica.load();
    await answer();
    expect([texts(replica.get('b')), replica.hasHeld]).toEqual([['2', '3'], false]);
  });

  it('shows what a run puts out at once, and fetches nothing for it', async () => {
    const replica = held();
    replica.view('a');
    replica.apply([{ key: 'a', changes: [{ op: 'clear' }, append('new')] }]);
    expect([texts(replica.get('a')), replica.isHeld('a'), changed]).toEqual([['new'], false, ['a']]);
    await settle();
    expect(main.calls).toEqual([]);
  });

  it('counts what comes after what it does not have', () => {
    const replica = held();
    replica.apply([{ key: 'b', changes: [append('late')] }]);
    expect([replica.get('b'), replica.count('b'), replica.isHeld('b')]).toEqual([null, 3, true]);
  });
});
