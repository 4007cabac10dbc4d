/**
 * The helpers' own tests, which are Python: each test there is one test here, so that all are counted. They run while tests are collected,
 * because only then their names are known.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { testPython } from '../../support/python.ts';

const folder = path.join(import.meta.dirname, 'python');

/** A module that hangs must not hold up the collection for ever. */
const MODULE_TIMEOUT_MS = 300_000;

interface Result {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  details: string;
}

const modules = readdirSync(folder)
  .filter((name) => /^test_.*\.py$/.test(name))
  .map((name) => name.slice(0, -'.py'.length));

test('there are tests', () => {
  expect(modules.length).toBeGreaterThan(0);
});

for (const module of modules) {
  const { results, problem } = await run(module);
  describe(module, () => {
    test('runs to its end', () => {
      expect(problem).toBe('');
      expect(results.length).toBeGreaterThan(0);
    });
    for (const { name, outcome, details } of results) {
      test(name, (context) => {
        if (outcome === 'skipped') return context.skip(details);
        expect(outcome, details).toBe('passed');
      });
    }
  });
}

/** Runs one module; `problem` is what went wrong outside its tests. */
function run(module: string): Promise<{ results: Result[]; problem: string }> {
  // No compiled files beside the sources: they would count as sources of the app.
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise((resolve) => {
    execFile(testPython(), [path.join(folder, 'run.py'), module], { env, timeout: MODULE_TIMEOUT_MS }, (error, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line.startsWith('{"name"'));
      resolve({ results: lines.map((line) => JSON.parse(line) as Result), problem: error ? `${error.message}\n${stderr}` : '' });
    });
  });
}
