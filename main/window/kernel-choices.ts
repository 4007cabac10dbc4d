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

const RANK: Readonly<Record<KernelChoice['source'], number>> = { gateway: 0, project: 1, kernelspec: 2, interpreter: 3, managed: 4 };

export function kernelChoices(specs: readonly KernelSpec[], interpreters: readonly Interpreter[]): Choice[] {
  const fromSpecs = specs.map((spec): Choice => {
    const { name, displayName, language, source } = spec;
    return { name, displayName, language, path: spec.argv[0] ?? '', source, ready: true, note: null, spec };
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
      note: interpreter.ipykernel === null ? 'needs ipykernel' : null,
      spec: interpreter.ipykernel === null ? null : spec,
    };
  });
  const kept = fromInterpreters.filter((choice) => choice.source === 'project' || !started.has(choice.path));
  // The sort keeps the order within a rank: discovery lists the best first.
  return [...fromSpecs, ...kept].sort((a, b) => RANK[a.source] - RANK[b.source] || Number(b.ready) - Number(a.ready));
}

/** What a Jupyter server offers: its kernelspecs, and its running kernels to attach to. Their names can't be those of this machine's own. */
export function gatewayChoices(specs: readonly KernelSpec[]): Choice[] {
  return specs.map((spec) => {
    const { displayName, language, source, gateway } = spec;
    const isRunning = gateway?.kernelId !== undefined;
    const note = isRunning ? 'running there' : null;
    return { name: choiceName(spec), displayName, language, path: gateway?.url ?? '', source, ready: true, note, spec };
  });
}

function choiceName({ name, gateway }: KernelSpec): string {
  return `${gateway?.url ?? ''}#${gateway?.kernelId ?? name}`;
}

/** A server that gave no list: it stays visible, with the reason. */
export function unreachableChoice(url: string, reason: string): Choice {
  return { name: url, displayName: reason, language: '', path: url, source: 'gateway', ready: false, note: 'not reached', spec: null };
}

/** Without what the window has no use for. */
export function shownChoice({ spec: _spec, ...choice }: Choice): KernelChoice {
  return choice;
}
