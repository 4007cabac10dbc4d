/** How texts share one limit: small ones whole, the rest alike. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shares } from '../../../main/execution/agents/shares.ts';

it.each([
  [[10, 20], 100, [10, 20]],
  [[10, 200], 100, [10, 90]],
  [[300, 200], 100, [50, 50]],
  [[300, 10, 200], 100, [45, 10, 45]],
  [[], 100, []],
  [[0, 0], 0, [0, 0]],
])('%j in %i', (sizes, total, expected) => {
  expect(shares(sizes, total)).toEqual(expected);
});

it('never gives more than there is or than is needed, and nothing away while somebody needs it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 12 }), fc.nat(5000), (sizes, total) => {
      const limits = shares(sizes, total);
      const given = limits.reduce((sum, limit) => sum + limit, 0);
      expect(given).toBeLessThanOrEqual(total);
      limits.forEach((limit, index) => {
        expect(limit).toBeLessThanOrEqual(sizes[index]!);
      });
      const cut = limits.filter((limit, index) => limit < sizes[index]!);
      if (cut.length === 0) return;
      // All who were cut got the same, up to what can't be divided, and all the others less.
      expect(Math.max(...cut) - Math.min(...cut)).toBeLessThanOrEqual(1);
      expect(total - given).toBeLessThan(cut.length);
      limits.forEach((limit, index) => {
        if (limit === sizes[index]!) expect(limit).toBeLessThanOrEqual(Math.max(...cut));
      });
    }),
  );
});
