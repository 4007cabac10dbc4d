/**
 * Which kernel a notebook gets when nobody has chosen one. The rules stand in order, each with its reason; the first that finds something
 * decides. What had to be passed over is said in a note, because a silent substitute is how results stop being reproducible.
 */
import path from 'node:path';
import { KernelNotFoundError } from '../errors.ts';
import type { KernelSpec } from '../kernel.ts';
import { type Interpreter, interpreterSpec, machineInterpreters, managedInterpreter, projectInterpreters } from './interpreters.ts';
import { type System, thisSystem } from './jupyter-paths.ts';
import { findKernelspecs } from './kernelspecs.ts';

export interface ChooseOptions extends Partial<System> {
  /** The notebook's own metadata (`kernelspec`, `language_info`); empty for a new one. */
  notebookMetadata: Readonly<Record<string, unknown>>;
  /** The notebook's folder, where its project is looked for. */
  folder: string;
}

export interface Choice {
  spec: KernelSpec;
  /** One sentence for the person when it is not what they may expect. */
  note: string | null;
}

/** Names that every environment gives to its own Python: they say "the Python at hand" and not which one. */
const AT_HAND = /^python[23]?$/i;

/** Throws KernelNotFoundError, which says what to install. */
export async function chooseKernel({ notebookMetadata, folder, ...given }: ChooseOptions): Promise<Choice> {
  const system = { ...thisSystem(), ...given };
  const wanted = wantedKernel(notebookMetadata);
  const isPython = wanted.language === null || wanted.language === 'python';
  const project = isPython ? await projectInterpreters(folder, system) : [];
  const ready = project.find(({ ipykernel }) => ipykernel !== null);
  const specs = await findKernelspecs(system);
  const named = wanted.name === null ? undefined : specs.find(({ name }) => name.toLowerCase() === wanted.name?.toLowerCase());

  // 1. The notebook's own kernelspec, when its name says which one: somebody chose it.
  if (named && !AT_HAND.test(named.name)) return { spec: named, note: null };
  const missing = wanted.name !== null && !named && !AT_HAND.test(wanted.name) ? wanted.name : null;
  // 2. The project's environment: what the notebook imports is installed there, and `python3` is its name in there too.
  if (ready) return { spec: interpreterSpec(ready), note: missing && substitute(missing, ready.displayName) };
  const bare = project[0];
  // 3. The kernelspec of that general name: what `jupyter` itself would start.
  if (named) return { spec: named, note: bare ? withoutKernel(bare, named.displayName) : null };
  // 4. Another kernelspec of the notebook's language: the code can at least be read by it.
  const language = wanted.language ?? 'python';
  const sameLanguage = specs.filter((spec) => spec.language.toLowerCase() === language);
  const related = sameLanguage.find(({ name }) => AT_HAND.test(name)) ?? sameLanguage[0];
  if (related)
    return {
      spec: related,
      note: (missing && substitute(missing, related.displayName)) ?? (bare ? withoutKernel(bare, related.displayName) : null),
    };
  if (!isPython) throw unknownLanguage(wanted.displayName ?? wanted.name, language);
  // 5. Any Python that has ipykernel: the person installed it there to be used.
  const machine = await machineInterpreters(system);
  // 6. The app's own environment, which is complete but has none of the project's packages.
  const other = machine.find(({ ipykernel }) => ipykernel !== null) ?? (await managedInterpreter(system));
  if (other?.ipykernel) {
    const note = (missing && substitute(missing, other.displayName)) ?? (bare ? withoutKernel(bare, other.displayName) : null);
    return { spec: interpreterSpec(other), note };
  }
  throw nothing(bare ?? machine[0]);
}

export function wantedKernel(metadata: Readonly<Record<string, unknown>>): {
  name: string | null;
  displayName: string | null;
  language: string | null;
} {
  const kernelspec = recordOf(metadata.kernelspec);
  const name = textOf(kernelspec.name);
  const language = textOf(kernelspec.language) ?? textOf(recordOf(metadata.language_info).name);
  return { name, displayName: textOf(kernelspec.display_name), language: language?.toLowerCase() ?? null };
}

function substitute(missing: string, used: string): string {
  return `The notebook’s kernel “${missing}” is not installed here. ${used} is used instead; choose another kernel if that is wrong.`;
}

function withoutKernel(bare: Interpreter, used: string): string {
  return `${bare.displayName} of this project has no ipykernel, so ${used} is used. To use it, run \`${installCommand(bare)}\`.`;
}

function unknownLanguage(name: string | null, language: string): KernelNotFoundError {
  return new KernelNotFoundError(
    `The notebook is written in ${language}, and no kernel for it is installed${name === null ? '' : ` (it asks for “${name}”)`}.`,
    `Install a Jupyter kernel for ${language}, or choose another kernel.`,
  );
}

function nothing(python: Interpreter | undefined): KernelNotFoundError {
  const message = 'No Python with ipykernel was found.';
  if (python) return new KernelNotFoundError(message, `Run \`${installCommand(python)}\` and try again.`);
  return new KernelNotFoundError(message, 'Install Python 3.9 or newer, then run `python3 -m pip install ipykernel`.');
}

function installCommand({ path: program }: Interpreter): string {
  return `${/\s/.test(program) ? `"${path.normalize(program)}"` : program} -m pip install ipykernel`;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
