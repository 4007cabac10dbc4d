/** Outputs that widgets take in: by the request that they name, nested as `with` blocks are, and never lost. */
import { describe, expect, it } from 'vitest';
import { widgetArea } from '../../../main/execution/output-captures.ts';
import { OutputReducer } from '../../../main/execution/output-reducer.ts';
import type { RawPayload } from '../../../main/execution/run-protocol.ts';
import type { JupyterMessage } from '../../../main/kernels/messages.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';
import { message } from './messages.ts';

class Kernel {
  readonly reducer = new OutputReducer();
  readonly #outputs = new Map<string, Output<RawPayload>[]>();

  constructor(follows = true) {
    if (follows) this.reducer.capture({ artifactFolder: null, widgets: [] });
    this.reducer.startRun('cell', 'r1', null);
  }

  say(...messages: JupyterMessage[]): this {
    for (const each of messages) this.reducer.reduce(each);
    for (const { areaId, changes } of this.reducer.take(() => ({ artifactId: null }))) {
      this.#outputs.set(areaId, changes.reduce<Output<RawPayload>[]>(applyOutputChange, this.#outputs.get(areaId) ?? []));
    }
    return this;
  }

  text(areaId: string): string {
    return (this.#outputs.get(areaId) ?? []).map((output) => (output.type === 'stream' ? output.text : `<${output.type}>`)).join('');
  }

  widget(commId: string): string {
    return this.text(widgetArea(commId));
  }
}

const out = (parent: string, text: string) => message(parent, 'stream', { name: 'stdout', text });
const open = (commId: string, state: Record<string, unknown> = {}) =>
  message('r1', 'comm_open', { comm_id: commId, target_name: 'jupyter.widget', data: { state: { _model_name: 'OutputModel', ...state } } });
const set = (commId: string, state: Record<string, unknown>) =>
  message('r1', 'comm_msg', { comm_id: commId, data: { method: 'update', state } });

describe('an Output widget', () => {
  it('takes in what belongs to the request it names, for as long as it does', () => {
    const kernel = new Kernel().say(open('a'), out('r1', 'before '), set('a', { msg_id: 'r1' }), out('r1', 'inside '));
    kernel.say(set('a', { msg_id: '' }), out('r1', 'after'));
    expect([kernel.widget('a'), kernel.text('cell')]).toEqual(['inside ', 'before after']);
  });

  it('inside of another takes precedence, and gives it back', () => {
    const kernel = new Kernel().say(open('a'), open('b'), set('a', { msg_id: 'r1' }), out('r1', '1'));
    kernel.say(set('b', { msg_id: 'r1' }), out('r1', '2'), set('b', { msg_id: '' }), out('r1', '3'));
    expect([kernel.widget('a'), kernel.widget('b')]).toEqual(['13', '2']);
  });

  it('that is closed in the middle leaves the rest to the cell', () => {
    const kernel = new Kernel().say(open('a'), set('a', { msg_id: 'r1' }), out('r1', 'x'), message('r1', 'comm_close', { comm_id: 'a' }));
    kernel.say(out('r1', 'y'));
    expect(kernel.text('cell')).toBe('y');
  });

  it('of a widget’s own callback takes in what has no cell', () => {
    const kernel = new Kernel().say(open('a'), set('a', { msg_id: 'click' }), out('click', 'clicked'));
    expect(kernel.widget('a')).toBe('clicked');
    kernel.say(set('a', { msg_id: '' }), message('click', 'stream', { name: 'stdout', text: 'late' }, undefined, 'comm_msg'));
    expect(kernel.text('cell')).toBe('late');
  });

  it('has what the kernel sets instead of what it had, and is cleared with or without waiting', () => {
    const kernel = new Kernel().say(open('a'), set('a', { msg_id: 'r1' }), out('r1', 'old'));
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['a\n', 'b'] },
      { output_type: 'display_data', data: {}, metadata: {} },
    ];
    kernel.say(set('a', { outputs }));
    expect(kernel.widget('a')).toBe('a\nb<display_data>');
    kernel.say(message('r1', 'clear_output', { wait: true }));
    expect(kernel.widget('a')).toBe('a\nb<display_data>');
    kernel.say(out('r1', 'new'));
    expect(kernel.widget('a')).toBe('new');
    kernel.say(message('r1', 'clear_output', { wait: false }));
    expect(kernel.widget('a')).toBe('');
  });

  it('is reached by updates of a display that it shows', () => {
    const show = (type: string, text: string) =>
      message('r1', type, { data: { 'text/plain': text }, metadata: {}, transient: { display_id: 'd' } });
    const kernel = new Kernel().say(open('a'), set('a', { msg_id: 'r1' }), show('display_data', 'one'));
    kernel.reducer.reduce(show('update_display_data', 'two'));
    const [taken] = kernel.reducer.take(() => ({ artifactId: null }));
    expect(taken).toMatchObject({
      areaId: widgetArea('a'),
      changes: [{ op: 'replace', index: 0, output: { data: { 'text/plain': 'two' } } }],
    });
  });

  it('goes on in another host where it was', () => {
    const kernel = new Kernel();
    kernel.reducer.capture({ artifactFolder: null, widgets: [{ commId: 'a', requestId: 'r1', count: 3, displays: [] }] });
    kernel.reducer.reduce(out('r1', 'more'));
    const [taken] = kernel.reducer.take(() => ({ artifactId: null }));
    expect(taken?.changes).toEqual([{ op: 'append', output: { type: 'stream', name: 'stdout', text: 'more' } }]);
    kernel.reducer.reduce(message('r1', 'clear_output', { wait: false }));
    expect(kernel.reducer.take(() => ({ artifactId: null }))[0]?.changes).toEqual([{ op: 'clear' }]);
  });

  it('that nobody shows takes in nothing', () => {
    const kernel = new Kernel(false).say(open('a'), set('a', { msg_id: 'r1' }), out('r1', 'kept'));
    expect([kernel.widget('a'), kernel.text('cell')]).toEqual(['', 'kept']);
  });
});
