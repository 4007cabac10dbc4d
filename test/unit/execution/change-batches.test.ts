/** Events of bounded size: together they say exactly what the changes said. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batches } from '../../../main/execution/change-batches.ts';
import type { AreaChanges } from '../../../main/execution/output-reducer.ts';
import type { RawOutputChange, RawPayload } from '../../../main/execution/run-protocol.ts';
import { applyOutputChange, type Output } from '../../../preload/output-change.ts';

function outputsOf(areas: readonly AreaChanges[]): Map<string, Output<RawPayload>[]> {
  const outputs = new Map<string, Output<RawPayload>[]>();
  for (const { areaId, changes } of areas)
    outputs.set(areaId, changes.reduce<Output<RawPayload>[]>(applyOutputChange, outputs.get(areaId) ?? []));
  return outputs;
}

const text = fc.array(fc.constantFrom('abc', '\u{1f600}', 'x'.repeat(500), '\n'), { maxLength: 12 }).map((parts) => parts.join(''));
/** Changes that fit one another: an append of a stream, then texts at its beginning. */
const changes = fc
  .array(text, { minLength: 1, maxLength: 6 })
  .map((texts): RawOutputChange[] => [
    { op: 'append', output: { type: 'stream', name: 'stdout', text: '' } },
    ...texts.map((insert): RawOutputChange => ({ op: 'text', index: 0, at: 0, remove: 0, insert })),
    { op: 'append', output: { type: 'display_data', data: { 'text/plain': 'x'.repeat(700) }, metadata: {}, executionCount: null } },
  ]);

it('keep every change, in order, below the limit', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 5 }), (areas) => {
      const all = areas.map((list, index): AreaChanges => ({ areaId: `area ${index}`, runId: 'run', changes: list }));
      const events = batches(all, 2_000, 256);
      expect(outputsOf(events.flatMap((event) => event.areas))).toEqual(outputsOf(all));
      for (const event of events) {
        expect(event.weight).toBeLessThanOrEqual(2_000);
        expect(event.areas.every((area) => area.changes.length > 0)).toBe(true);
        for (const area of event.areas)
          for (const change of area.changes)
            if (change.op === 'text') expect(change.insert).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
      }
    }),
  );
});

it('send nothing for nothing', () => {
  expect(batches([])).toEqual([]);
});
