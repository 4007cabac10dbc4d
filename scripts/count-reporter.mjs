/**
 * Counts what vitest really ran, for the one line at the end of `npm test`.
 * A file that fails to load has no tests to count and an error outside any test belongs to none; both count as failed, so that a
 * broken run never looks like a small one that passed.
 */
import { writeFileSync } from 'node:fs';

/**
 * `retried` are tests that failed first and passed at a second try, with their first error; they count as passed.
 * @typedef {{ passed: number, failed: number, skipped: { name: string, reason: string }[], retried: { name: string, error: string }[] }} Counts
 */

/** Writes the counts as JSON to the file that CELLWRIGHT_TEST_COUNTS names. */
export default class CountReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(modules, errors) {
    const file = process.env.CELLWRIGHT_TEST_COUNTS;
    if (file) writeFileSync(file, JSON.stringify(countTests(modules, errors)));
  }
}

/**
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly unknown[]} errors errors that belong to no test
 * @returns {Counts}
 */
export function countTests(modules, errors) {
  /** @type {Counts} */
  const counts = { passed: 0, failed: errors.length, skipped: [], retried: [] };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const result = test.result();
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      if (result.state === 'passed') counts.passed += 1;
      else if (result.state === 'failed') counts.failed += 1;
      else counts.skipped.push({ name, reason: reasonOf(result) });
      if (test.diagnostic()?.flaky) counts.retried.push({ name, error: result.errors?.[0]?.message.split('\n')[0] ?? 'no error given' });
    }
  }
  return counts;
}

/** @param {import('vitest/node').TestResult} result */
function reasonOf(result) {
  if (result.state === 'pending') return 'never ran';
  return (result.state === 'skipped' && result.note) || 'no reason given';
}
