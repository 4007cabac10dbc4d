/** Widget state in a notebook's metadata, as other programs write it and as it is written here. */
import { describe, expect, it } from 'vitest';
import { STATE_MIME, storedModel, widgetsMetadata } from '../../../main/widgets/stored-state.ts';

const OTHERS = {
  [STATE_MIME]: {
    version_major: 2,
    version_minor: 0,
    state: {
      image: {
        model_name: 'ImageModel',
        model_module: '@jupyter-widgets/controls',
        model_module_version: '2.0.0',
        state: { layout: 'IPY_MODEL_l' },
        buffers: [{ data: 'AQI=', encoding: 'base64', path: ['value'] }],
      },
      out: {
        model_name: 'OutputModel',
        model_module: '@jupyter-widgets/output',
        model_module_version: '1.0.0',
        state: { outputs: [{ output_type: 'stream', name: 'stdout', text: ['a\n', 'b'] }, { output_type: 'nothing' }] },
      },
      broken: { state: 3 },
    },
  },
};

describe('stored state', () => {
  it('gives a model with its bytes, and an Output widget with its outputs', () => {
    expect(storedModel(OTHERS, 'image')).toEqual({
      state: {
        _model_name: 'ImageModel',
        _model_module: '@jupyter-widgets/controls',
        _model_module_version: '2.0.0',
        layout: 'IPY_MODEL_l',
        value: new Uint8Array([1, 2]),
      },
      outputs: [],
    });
    expect(storedModel(OTHERS, 'out')?.outputs).toEqual([{ type: 'stream', name: 'stdout', text: 'a\nb' }]);
  });

  it.each([
    ['a model that is not there', OTHERS, 'gone'],
    ['a broken one', OTHERS, 'broken'],
    ['a name of every object', OTHERS, 'constructor'],
    ['no widgets', undefined, 'image'],
    ['something else', { [STATE_MIME]: [1] }, 'image'],
  ])('%s is none', (_, widgets, modelId) => expect(storedModel(widgets, modelId)).toBeNull());

  it('keeps what outputs still show of an earlier session, with all that it is made of', () => {
    const stored = (state: Record<string, unknown>) => ({ model_name: 'M', model_module: 'm', model_module_version: '1', state });
    const state = { box: stored({ children: ['IPY_MODEL_a'] }), a: stored({ layout: 'IPY_MODEL_l' }), l: stored({}), old: stored({}) };
    const widgets = { [STATE_MIME]: { state, version_major: 2, version_minor: 0 } };
    const live = storedModel(OTHERS, 'image')!;
    const written = widgetsMetadata([['new', live]], { ended: () => null, widgets, shown: new Set(['box', 'new', 'gone']) });
    expect(Object.keys((written[STATE_MIME] as (typeof widgets)[typeof STATE_MIME]).state).sort()).toEqual(['a', 'box', 'l', 'new']);
  });

  it('keeps of a kernel that ended what outputs still show, as it was at its end', () => {
    const ended = storedModel(OTHERS, 'image')!;
    const now = { ...ended, state: { ...ended.state, width: '7px' } };
    const earlier = { ended: (id: string) => (['image', 'unseen'].includes(id) ? now : null), widgets: OTHERS, shown: new Set(['image']) };
    const written = widgetsMetadata([], earlier);
    expect(storedModel(written, 'image')).toEqual(now);
    expect(storedModel(written, 'unseen')).toBeNull();
  });

  it('is written so that it is read again as it was, with no request that is over', () => {
    const image = storedModel(OTHERS, 'image')!;
    const out = storedModel(OTHERS, 'out')!;
    const written = widgetsMetadata([
      ['image', image],
      ['out', { ...out, state: { ...out.state, msg_id: 'r1' } }],
    ]);
    expect(JSON.parse(JSON.stringify(written))).toEqual(written);
    expect(storedModel(written, 'image')).toEqual(image);
    expect(storedModel(written, 'out')).toEqual({ ...out, state: { ...out.state, msg_id: '' } });
  });
});
