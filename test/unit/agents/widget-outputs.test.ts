/** What Output widgets took in, in the order in which an agent reads it. */
import { expect, it } from 'vitest';
import { type WidgetOutputs, withShown, withTaken } from '../../../main/agents/widget-outputs.ts';
import type { Output } from '../../../preload/output-change.ts';

type Outputs = Output<unknown>[];

const printed = (text: string): Output<unknown> => ({ type: 'stream', name: 'stdout', text });
const view = (modelId: string): Output<unknown> => ({
  type: 'display_data',
  data: { 'application/vnd.jupyter.widget-view+json': { model_id: modelId }, 'text/plain': modelId },
  metadata: {},
  executionCount: null,
});

/** A box that holds two Output widgets, and a slider. */
const widgets: WidgetOutputs = {
  settled: async () => {},
  model: async () => null,
  outputModelsIn: (modelId) => (modelId === 'box' ? ['a', 'b'] : modelId === 'slider' ? [] : [modelId]),
  outputsOf: () => [],
  taken: () => new Map(),
};

const words = (outputs: readonly Output<unknown>[]): string[] =>
  outputs.map((output) => (output.type === 'stream' ? output.text : 'data' in output ? String(output.data['text/plain']) : output.ename));
const taken = (...list: [string, Outputs][]) => new Map<string, Outputs>(list);

const kept = printed('one\n');

it.each<[string, Outputs, Map<string, Outputs>, Map<string, Outputs>, string[]]>([
  [
    'what a shown widget has stands where it is shown',
    [printed('x'), view('a'), printed('y')],
    taken(),
    taken(['a', [kept]]),
    ['x', 'a', 'one\n', 'y'],
  ],
  [
    'a box gives what its widgets have, in their order',
    [view('box')],
    taken(),
    taken(['b', [printed('2')]], ['a', [printed('1')]]),
    ['box', '1', '2'],
  ],
  [
    'of a widget shown elsewhere only what is new',
    [printed('x')],
    taken(['a', [kept]]),
    taken(['a', [kept, printed('two')]]),
    ['x', 'two'],
  ],
  ['text that grew gives what was added', [], taken(['a', [kept]]), taken(['a', [printed('one\ntwo\n')]]), ['two\n']],
  ['text that was cleared and is other now is all new', [], taken(['a', [kept]]), taken(['a', [printed('two\n')]]), ['two\n']],
  ['nothing new is nothing', [view('slider')], taken(['a', [kept]]), taken(['a', [kept]]), ['slider']],
])('%s', (_, own, before, after, expected) => {
  expect(words(withTaken(own, widgets, { before, after }))).toEqual(expected);
});

it('outputs without widgets stay the same array, so that what was made of them is found again', () => {
  const own = [printed('x')];
  expect(withTaken(own, widgets, { before: new Map(), after: new Map() })).toBe(own);
  expect(withShown(own, widgets, () => [])).toBe(own);
});
