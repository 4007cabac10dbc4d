/** Comm messages on their way to main: read, with their bytes in place, and joined where only the last of them matters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import { withBuffers, withoutBuffers } from '../../../main/widgets/binary-state.ts';
import { CommBatch } from '../../../main/widgets/comm-batch.ts';
import { commEvent } from '../../../main/widgets/comm-messages.ts';
import type { CommEvent } from '../../../main/widgets/comm-protocol.ts';
import { message } from '../execution/messages.ts';

const known = (commId: string) => commId === 'a';

function comm(type: string, content: Record<string, unknown>, buffers: Uint8Array[] = []): JupyterMessage {
  return { ...message('p1', type, content), buffers };
}

describe('a comm message', () => {
  it('opens a model, its bytes in their places and its outputs left to the areas', () => {
    const data = { state: { _model_name: 'ImageModel', value: null, list: [null], outputs: [] }, buffer_paths: [['value'], ['list', 0]] };
    const opened = comm('comm_open', { comm_id: 'a', target_name: 'jupyter.widget', data }, [new Uint8Array([1]), new Uint8Array([2])]);
    expect(commEvent(opened, known)).toEqual({
      kind: 'open',
      commId: 'a',
      state: { _model_name: 'ImageModel', value: new Uint8Array([1]), list: [new Uint8Array([2])] },
    });
  });

  it('updates, echoes, says something of its own, or closes', () => {
    const change = (data: unknown) => commEvent(comm('comm_msg', { comm_id: 'a', data }), known);
    expect(change({ method: 'update', state: { value: 1 } })).toEqual({ kind: 'update', commId: 'a', state: { value: 1 } });
    expect(change({ method: 'echo_update', state: { value: 1 } })).toEqual({
      kind: 'echo',
      commId: 'a',
      messageId: 'p1',
      state: { value: 1 },
    });
    expect(change({ method: 'custom', content: 'hi' })).toEqual({ kind: 'custom', commId: 'a', content: 'hi', buffers: [] });
    expect(commEvent(comm('comm_close', { comm_id: 'a' }), known)).toEqual({ kind: 'close', commId: 'a' });
  });

  it.each([
    ['of another target', comm('comm_open', { comm_id: 'a', target_name: 'matplotlib', data: {} })],
    ['of a comm that is no widget’s', comm('comm_msg', { comm_id: 'b', data: { method: 'update', state: {} } })],
    ['of a method nobody knows', comm('comm_msg', { comm_id: 'a', data: { method: 'dance' } })],
    ['without an id', comm('comm_msg', { data: { method: 'update' } })],
    ['that is none', comm('stream', { comm_id: 'a' })],
  ])('%s is passed over', (_, given) => expect(commEvent(given, known)).toBeNull());

  it('with fields of the wrong kind makes an empty change and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, paths) => {
        const given = comm('comm_msg', { comm_id: 'a', data: { method: 'update', state: data, buffer_paths: paths } }, [new Uint8Array(1)]);
        expect(commEvent(given, known)).toMatchObject({ kind: 'update', commId: 'a' });
      }),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('bytes in a state', () => {
  it('go out and come back to where they were', () => {
    const state = { plain: 1, bytes: new Uint8Array([1, 2]), deep: { list: [0, { more: new Uint8Array([3]) }] } };
    const { state: json, paths, buffers } = withoutBuffers(state);
    expect(json).toEqual({ plain: 1, bytes: null, deep: { list: [0, { more: null }] } });
    expect(withBuffers(json, paths, buffers)).toEqual(state);
  });

  it('never reach a prototype', () => {
    const state = withBuffers(
      { a: {} },
      [
        ['__proto__', 'polluted'],
        ['a', '__proto__', 'polluted'],
        ['a', '__proto__'],
      ],
      [1, 2, 3].map(() => new Uint8Array(1)),
    );
    expect(state).toEqual({ a: {} });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('what waits to be told', () => {
  const update = (commId: string, state: Record<string, unknown>): CommEvent => ({ kind: 'update', commId, state });

  it('joins the updates of one comm at the place of the last', () => {
    const batch = new CommBatch();
    batch.add(update('a', { x: 1, y: 1 }));
    batch.add({ kind: 'open', commId: 'b', state: {} });
    batch.add(update('a', { x: 2, child: 'IPY_MODEL_b' }));
    expect(batch.take()).toEqual([[{ kind: 'open', commId: 'b', state: {} }, update('a', { x: 2, y: 1, child: 'IPY_MODEL_b' })]]);
    expect(batch.isEmpty).toBe(true);
  });

  it('joins nothing over a message of the comm’s own', () => {
    const batch = new CommBatch();
    const custom: CommEvent = { kind: 'custom', commId: 'a', content: 1, buffers: [] };
    for (const event of [update('a', { x: 1 }), custom, update('a', { x: 2 })]) batch.add(event);
    expect(batch.take()).toEqual([[update('a', { x: 1 }), custom, update('a', { x: 2 })]]);
  });

  it('leaves every comm in the state that single events would, in pieces of bounded size', () => {
    const event = fc.oneof(
      fc
        .record({ commId: fc.constantFrom('a', 'b'), key: fc.constantFrom('x', 'y'), value: fc.nat(99) })
        .map(({ commId, key, value }) => update(commId, { [key]: value, text: 'x'.repeat(value) })),
      fc.constantFrom('a', 'b').map((commId): CommEvent => ({ kind: 'close', commId })),
    );
    const stateAfter = (events: readonly CommEvent[]) => {
      const states: Record<string, Record<string, unknown>> = {};
      for (const each of events) {
        if (each.kind === 'update') states[each.commId] = { ...states[each.commId], ...each.state };
        if (each.kind === 'close') delete states[each.commId];
      }
      return states;
    };
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const batch = new CommBatch();
        for (const each of events) batch.add(each);
        const pieces = batch.take(200);
        expect(stateAfter(pieces.flat())).toEqual(stateAfter(events));
        expect(pieces.every((piece) => piece.length > 0)).toBe(true);
      }),
    );
  });
});
