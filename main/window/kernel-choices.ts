/**
 * The kernels a person can choose from: kernelspecs and interpreters as one list without doubles. An interpreter that a kernelspec starts
 * already is left out unless it is the project's own, whose place in the list people look for. Pure.
 */
import type { KernelChoice } from '../../preload/contract.ts';
import { type Interpreter, interpreterSpec } from '../kernels/discovery/interpreters.ts';
import type { KernelSpec } from '../kernels/kernel.ts';

export interface Choice extends KernelChoice {
  /** What is started; null for a Python that still needs ipykernel. */
  spec: KernelSpec | null;
}

const RANK: Readonly<Record<KernelChoice['source'], number>> = { project: 0, kernelspec: 1, interpreter: 2, managed: 3 };

export function kernelChoices(specs: readonly KernelSpec[], interpreters: readonly Interpreter[]): Choice[] {
  const fromSpecs = specs.map((spec): Choice => {
    const { name, displayName, language, source } = spec;
    return { name, displayName, language, path: spec.argv[0] ?? '', source, ready: true, spec };
  });
  const started = new Set(fromSpecs.map((choice) => choice.path));
  const fromInterpreters = interpreters.map((interpreter): Choice => {
    const spec = interpreterSpec(interpreter);
    return {
      // The path tells interpreters apart: two projects may both call theirs `.venv`.
      name: interpreter.path,
      displayName: spec.displayName,
      language: spec.language,
      path: interpreter.path,
      source: spec.source,
      ready: interpreter.ipykernel !== null,
      spec: interpreter.ipykernel === null ? null : spec,
    };
  });
  const kept = fromInterpreters.filter((choice) => choice.source === 'project' || !started.has(choice.path));
  // The sort keeps the order within a rank: discovery lists the best first.
  return [...fromSpecs, ...kept].sort((a, b) => RANK[a.source] - RANK[b.source] || Number(b.ready) - Number(a.ready));
}

/** Without what the window has no use for. */
export function shownChoice({ spec: _spec, ...choice }: Choice): KernelChoice {
  return choice;
}
