/** The models of a kernel's widgets: what comm messages make of them, and what frames are told. */
import { describe, expect, it } from 'vitest';
import { WidgetModels } from '../../../main/widgets/widget-models.ts';

const SLIDER = { _model_name: 'IntSliderModel', value: 4, max: 50 };
const OUTPUT = { _model_name: 'OutputModel', msg_id: 'r1' };

function opened(state: Record<string, unknown> = SLIDER): WidgetModels {
  const models = new WidgetModels();
  expect(models.apply({ kind: 'open', commId: 'a', state })).toEqual([{ kind: 'open', commId: 'a' }]);
  return models;
}

describe('a model', () => {
  it('has the state that it was opened with and every update since', () => {
    const models = opened();
    expect(models.apply({ kind: 'update', commId: 'a', state: { value: 9 } })).toEqual([
      { kind: 'update', commId: 'a', state: { value: 9 }, by: null },
    ]);
    expect(models.live('a')?.state).toEqual({ ...SLIDER, value: 9 });
  });

  it('that was opened unheard is made of its whole state, and of nothing less', () => {
    const models = new WidgetModels();
    expect(models.apply({ kind: 'update', commId: 'b', state: { value: 9 } })).toEqual([]);
    expect(models.live('b')).toBeNull();
    expect(models.apply({ kind: 'update', commId: 'b', state: SLIDER })).toEqual([{ kind: 'open', commId: 'b' }]);
    expect(models.live('b')?.state).toEqual(SLIDER);
  });

  it('is gone once its comm is closed, and what comes after is told to nobody', () => {
    const models = opened();
    expect(models.apply({ kind: 'close', commId: 'a' })).toEqual([{ kind: 'close', commId: 'a' }]);
    expect(models.live('a')).toBeNull();
    expect(models.apply({ kind: 'custom', commId: 'a', content: 1, buffers: [] })).toEqual([]);
    expect(models.set('a', 'm1', { value: 1 })).toBeNull();
  });

  it('is what a frame set, at once', () => {
    const models = opened();
    expect(models.set('a', 'm1', { value: 7 })).toEqual({ kind: 'update', commId: 'a', state: { value: 7 }, by: 'm1' });
    expect(models.live('a')?.state.value).toBe(7);
  });

  it('is not taken back by the echo of something older', () => {
    const models = opened();
    models.set('a', 'm1', { value: 7, max: 60 });
    models.set('a', 'm2', { value: 8 });
    const old = models.apply({ kind: 'echo', commId: 'a', messageId: 'm1', state: { value: 7, max: 60 } });
    expect(old).toEqual([{ kind: 'echo', commId: 'a', messageId: 'm1', state: { value: 7, max: 60 }, kept: { max: 60 } }]);
    expect(models.live('a')?.state.value).toBe(8);
    const [echo] = models.apply({ kind: 'echo', commId: 'a', messageId: 'm2', state: { value: 8 } });
    expect(echo).toMatchObject({ kept: { value: 8 } });
    // From now on the kernel's word counts again, also an echo for somebody else's message.
    models.apply({ kind: 'echo', commId: 'a', messageId: 'other', state: { value: 20 } });
    expect(models.live('a')?.state.value).toBe(20);
  });

  it('can be looked at after its kernel, while the next kernel has models of its own', () => {
    const models = opened();
    models.sent('m1');
    expect(models.end()).toEqual([{ kind: 'done', messageId: 'm1' }, { kind: 'ended' }]);
    expect(models.live('a')).toBeNull();
    expect(models.ended('a')?.state).toEqual(SLIDER);
    expect(models.end()).toEqual([]);
    models.apply({ kind: 'open', commId: 'b', state: SLIDER });
    expect(models.liveIds).toEqual(['b']);
    models.end();
    expect([models.ended('a'), models.ended('b')].map((model) => model !== null)).toEqual([true, true]);
  });

  it('that the kernel does not have any more after a gap is closed', () => {
    const models = opened();
    models.apply({ kind: 'open', commId: 'b', state: SLIDER });
    expect(models.keepOnly(new Set(['b', 'c']))).toEqual([{ kind: 'close', commId: 'a' }]);
    expect(models.liveIds).toEqual(['b']);
  });
});

describe('a message', () => {
  it('is done once, and only one that was sent', () => {
    const models = opened();
    expect(models.apply({ kind: 'done', messageId: 'm1' })).toEqual([]);
    models.sent('m1');
    expect(models.apply({ kind: 'done', messageId: 'm1' })).toEqual([{ kind: 'done', messageId: 'm1' }]);
    expect(models.apply({ kind: 'done', messageId: 'm1' })).toEqual([]);
  });

  it('that a gap swallowed is done, and its attributes wait for no echo', () => {
    const models = opened();
    models.set('a', 'm1', { value: 7 });
    models.sent('m1');
    expect(models.settle()).toEqual([{ kind: 'done', messageId: 'm1' }]);
    models.apply({ kind: 'echo', commId: 'a', messageId: 'other', state: { value: 1 } });
    expect(models.live('a')?.state.value).toBe(1);
  });
});

describe('outputs of a widget', () => {
  const line = (text: string) => ({ op: 'append', output: { type: 'stream', name: 'stdout', text } }) as const;

  it('grow with their changes, also before the widget itself is told of', () => {
    const models = new WidgetModels();
    models.outputs('a', [line('one\n')]);
    expect(models.live('a')).toBeNull();
    expect(models.liveIds).toEqual([]);
    models.apply({ kind: 'open', commId: 'a', state: OUTPUT });
    expect(models.outputs('a', [{ op: 'text', index: 0, at: 4, remove: 0, insert: 'two\n' }])).toEqual([
      { kind: 'outputs', commId: 'a', changes: [{ op: 'text', index: 0, at: 4, remove: 0, insert: 'two\n' }] },
    ]);
    expect(models.live('a')?.outputs).toEqual([{ type: 'stream', name: 'stdout', text: 'one\ntwo\n' }]);
  });

  it('are what another kernel host goes on from', () => {
    const models = opened(OUTPUT);
    models.apply({ kind: 'open', commId: 'b', state: SLIDER });
    const shown = { type: 'display_data', data: {}, metadata: {}, executionCount: null, displayId: 'd' } as const;
    models.outputs('a', [line('x'), { op: 'append', output: shown }]);
    const displays = [{ id: 'd', index: 1, type: 'display_data', executionCount: null }];
    expect(models.capturing()).toEqual([{ commId: 'a', requestId: 'r1', count: 2, displays }]);
  });

  it('name what is too large to travel instead of the file it is in', () => {
    const models = opened(OUTPUT);
    const spilled = { $artifact: '1', file: '/somewhere', bytes: 9, encoding: 'base64' };
    const data = { 'image/png': spilled, 'text/html': '<b>' };
    const [event] = models.outputs('a', [{ op: 'append', output: { type: 'display_data', data, metadata: {}, executionCount: null } }]);
    expect(JSON.stringify(event)).not.toContain('/somewhere');
    expect(JSON.stringify(event)).toContain('image/png: too large');
  });
});
