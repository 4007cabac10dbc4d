/**
 * The architecture as rules on imports: which folder may know which. Pure, so that the rules themselves are tested on made-up imports.
 * A new folder under main/ belongs to no rule and is reported until it is given a place here.
 */

export interface Import {
  /** Path of the importing file, relative to the repository, with slashes. */
  readonly from: string;
  /** The same for a relative import; the specifier as written for a package or a Node module. */
  readonly to: string;
}

/** What each part of main may import besides itself. The order is the order of the arrows: no part may import one further down. */
const MAIN_PARTS: Readonly<Record<string, readonly string[]>> = {
  log: [],
  settings: ['log'],
  kernels: ['log', 'settings'],
  artifacts: ['log', 'settings'],
  execution: ['log', 'settings', 'kernels', 'artifacts'],
  documents: ['log', 'settings', 'kernels', 'artifacts'],
  widgets: ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents'],
  agents: ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents'],
  cli: ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents', 'widgets', 'agents'],
  'host.ts': ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents', 'widgets', 'agents'],
  window: ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents', 'widgets', 'agents'],
  'main.ts': ['log', 'settings', 'kernels', 'artifacts', 'execution', 'documents', 'widgets', 'agents', 'window'],
};

/**
 * What execution says about runs, in types alone. Documents store what runs put out, so they know these and nothing else of execution;
 * that execution never knows documents keeps it from becoming a circle.
 */
const RUN_CONTRACT = ['main/execution/run-protocol.ts', 'main/execution/run-target.ts'];

/** The bridge itself runs with Electron's preload rights: it is loaded by a window, never imported. */
const BRIDGE = 'preload/preload.ts';

/** Where `electron` may be imported. */
const ELECTRON_PLACES = [/^main\/window\//, /^main\/main\.ts$/, /^preload\/preload\.ts$/];

/** One sentence per import that breaks a rule. */
export function brokenArrows(imports: readonly Import[]): string[] {
  return imports.flatMap((one) => {
    const reason = reasonAgainst(one);
    return reason ? [`${one.from} imports ${one.to}: ${reason}`] : [];
  });
}

/** Groups of parts of main that import each other in a circle, each as `a → b → a`. */
export function cyclesBetweenParts(imports: readonly Import[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [mainPart(from), mainPart(to)];
    if (source && target && source !== target) graph.set(source, (graph.get(source) ?? new Set()).add(target));
  }
  const found = new Set<string>();
  for (const start of graph.keys()) follow(graph, [start], found);
  return [...found];
}

function reasonAgainst({ from, to }: Import): string | undefined {
  if (to === 'electron' || to.startsWith('electron/')) {
    return ELECTRON_PLACES.some((place) => place.test(from))
      ? undefined
      : 'only main/window, main/main.ts and the bridge may know Electron';
  }
  if (to === BRIDGE) return 'the bridge is loaded by a window, never imported';
  if (from.startsWith('renderer/')) return reasonAgainstInRenderer(to);
  if (from.startsWith('preload/')) return /^(main|renderer)\//.test(to) ? 'the contract stands alone' : undefined;
  if (to.startsWith('renderer/')) return 'main and renderer meet only in preload';
  return reasonAgainstInMain(from, to);
}

function reasonAgainstInRenderer(to: string): string | undefined {
  if (to.startsWith('main/')) return 'renderer and main meet only in preload';
  if (to.startsWith('node:')) return 'there is no Node in the renderer';
  return undefined;
}

function reasonAgainstInMain(from: string, to: string): string | undefined {
  const source = mainPart(from);
  if (source === undefined) return undefined;
  const allowed = MAIN_PARTS[source];
  if (!allowed) return `main/${source} has no place in the architecture`;
  if (to.startsWith('scripts/')) return source === 'cli' ? undefined : 'only the command line may share code with set-up';
  if (source === 'documents' && RUN_CONTRACT.includes(to)) return undefined;
  const target = mainPart(to);
  if (target === undefined || target === source || allowed.includes(target)) return undefined;
  return `main/${source} may not know main/${target}`;
}

/** `main/kernels/direct/launch.ts` → `kernels`; `main/main.ts` → `main.ts`; undefined outside main. */
function mainPart(path: string): string | undefined {
  return /^main\/([^/]+)/.exec(path)?.[1];
}

function follow(graph: ReadonlyMap<string, ReadonlySet<string>>, path: readonly string[], found: Set<string>): void {
  const [start, last] = [path[0], path.at(-1)];
  if (start === undefined || last === undefined) return;
  for (const next of graph.get(last) ?? []) {
    // Each circle is met once from each of its members; the one whose smallest name comes first is kept.
    if (next === start && start === [...path].sort()[0]) found.add([...path, start].join(' → '));
    if (!path.includes(next)) follow(graph, [...path, next], found);
  }
}
