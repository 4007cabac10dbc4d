/** The queue of a session: order, positions, and waiting that ends early. */
import { expect, it } from 'vitest';
import { Turns } from '../../../main/execution/agents/turns.ts';
import { WaitingLine } from '../../../main/execution/agents/waiting-line.ts';

const never = new AbortController().signal;

/** Takes a turn and notes its name in `order` when it has it. */
function taker(turns: Turns, order: string[]) {
  return (name: string, signal = never, onWaiting?: (position: number) => void): Promise<() => void> => {
    const taken = turns.take(signal, onWaiting);
    taken.then(
      () => order.push(name),
      () => order.push(`${name} left`),
    );
    return taken;
  };
}

it('gives turns in the order in which they were asked for', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const take = taker(turns, order);
  const [a, b, c] = [take('a'), take('b'), take('c')];
  const endA = await a;
  expect(order).toEqual(['a']);
  expect(turns.waiting).toBe(2);
  endA();
  const endB = await b;
  // Whoever comes now stands behind c, although b has only just begun.
  const d = take('d');
  endB();
  (await c)();
  (await d)();
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  expect(turns.waiting).toBe(0);
  (await take('e'))();
});

it('lets one that waits leave without disturbing the order', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const take = taker(turns, order);
  const endA = await take('a');
  const cancel = new AbortController();
  const positions: number[] = [];
  const b = take('b');
  const c = take('c', cancel.signal);
  const d = take('d', never, (position) => positions.push(position));
  cancel.abort(new Error('no longer wanted'));
  await expect(c).rejects.toThrow('no longer wanted');
  expect(turns.waiting).toBe(2);
  endA();
  (await b)();
  (await d)();
  expect(order).toEqual(['a', 'c left', 'b', 'd']);
  expect(positions).toEqual([3, 2, 1]);
});

it('goes on after one that was cancelled in the moment it got its turn', async () => {
  const turns = new Turns();
  const endA = await turns.take(never);
  const cancel = new AbortController();
  const b = turns.take(cancel.signal);
  const c = turns.take(never);
  endA();
  cancel.abort();
  // It has its turn, and gives it back as everybody does.
  (await b)();
  (await c)();
  expect(turns.waiting).toBe(0);
});

it('ends a turn only once', async () => {
  const turns = new Turns();
  const endA = await turns.take(never);
  const b = turns.take(never);
  endA();
  await b;
  endA();
  const c = turns.take(never);
  expect(turns.waiting).toBe(1);
  (await b)();
  (await c)();
});

it('takes none for a call that is over already', async () => {
  const turns = new Turns();
  await expect(turns.take(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  (await turns.take(never))();
});

it('a line lets in those that may, in order, and sends all away at the end', async () => {
  const line = new WaitingLine<string, string>();
  const places: Record<string, number[]> = { a: [], b: [], c: [] };
  const [a, b, c] = ['a', 'b', 'c'].map((item) => line.wait(item, never, (position) => places[item]!.push(position)));
  line.serve((item) => (item === 'b' ? 'come in' : null));
  expect(await b).toBe('come in');
  expect(places).toEqual({ a: [1], b: [2], c: [3, 2] });
  line.refuse(new Error('closed'));
  await expect(a).rejects.toThrow('closed');
  await expect(c).rejects.toThrow('closed');
  expect(line.length).toBe(0);
});
