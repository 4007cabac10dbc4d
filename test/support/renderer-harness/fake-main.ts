/**
 * A stand-in for main behind the bridge, in memory: documents over real Y.Docs, and runs that answer by what the code looks like. For
 * looking at the window in a browser and for tests of the window's replica; the real main is tested with the real window.
 */
import * as Y from 'yjs';
import type {
  Bridge,
  CallArgs,
  CallName,
  CellRun,
  DocumentSnapshot,
  DocumentState,
  EventName,
  Events,
  KernelView,
  PostName,
  Posts,
  Result,
  StartInfo,
  WindowOutput,
  WindowOutputChange,
} from '../../../preload/contract.ts';
import type { CellFields } from '../../../preload/notebook-model.ts';
import { cellFields, loadCells, orderedKeys, requireCell } from '../../../preload/notebook-model.ts';
import { applyOutputChange } from '../../../preload/output-change.ts';

type Handler = (args: never) => unknown;

export interface FakeNotebook {
  path: string | null;
  title: string;
  cells: CellFields[];
  outputs?: Record<string, WindowOutput[]>;
  runs?: Record<string, CellRun>;
  notices?: string[];
  readOnly?: boolean;
}

export const IDLE: CellRun = { state: 'idle', executionCount: null, startedAt: null, durationMs: null, input: null, stale: null };

export class FakeDocument {
  readonly ydoc = new Y.Doc();
  readonly outputs: Map<string, WindowOutput[]>;
  readonly runs: Map<string, CellRun>;
  state: DocumentState;
  kernel: KernelView = {
    state: 'none',
    name: 'Python 3.12 (.venv)',
    kernelspecName: 'python3',
    language: 'python',
    generation: 0,
    message: null,
    detail: null,
    queued: 0,
  };
  count = 0;

  constructor(docId: string, notebook: FakeNotebook) {
    loadCells(this.ydoc, notebook.cells);
    this.outputs = new Map(Object.entries(notebook.outputs ?? {}));
    this.runs = new Map(Object.entries(notebook.runs ?? {}));
    this.state = {
      docId,
      path: notebook.path,
      title: notebook.title,
      dirty: false,
      saving: false,
      readOnly: notebook.readOnly ?? false,
      trusted: true,
      notices: notebook.notices ?? [],
    };
  }

  snapshot(): DocumentSnapshot {
    return {
      document: this.state,
      update: Y.encodeStateAsUpdate(this.ydoc),
      runs: Object.fromEntries(this.runs),
      kernel: this.kernel,
      outputCounts: Object.fromEntries([...this.outputs].map(([key, outputs]) => [key, outputs.length])),
    };
  }
}

export class FakeMain {
  readonly documents = new Map<string, FakeDocument>();
  readonly notebooks = new Map<string, FakeNotebook>();
  /** Calls in the order they came, for tests. */
  readonly calls: { name: CallName; args: unknown }[] = [];
  readonly handlers = new Map<CallName, Handler>();
  start: StartInfo = {
    version: '0.1.0',
    platform: 'linux',
    folder: '/home/ada/project',
    home: '/home/ada',
    recent: [],
    examples: [],
    theme: 'light',
    open: [],
    active: null,
    notices: [],
    agentCommand: 'node /home/ada/cellwright/bin/cellwright.mjs mcp',
  };
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>();
  #next = 0;

  readonly bridge: Bridge = {
    call: (name, args) => this.#call(name, args) as never,
    post: (name, payload) => this.#post(name, payload),
    on: (name, listener) => {
      const set = this.#listeners.get(name) ?? new Set();
      this.#listeners.set(name, set.add(listener as (payload: never) => void));
      return () => set.delete(listener as (payload: never) => void);
    },
    pathOfFile: (file) => `/home/ada/${file.name}`,
  };

  emit<N extends EventName>(name: N, payload: Events[N]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(payload as never);
  }

  async #call(name: CallName, args: unknown): Promise<Result<unknown>> {
    this.calls.push({ name, args });
    const handler = this.handlers.get(name) ?? this.#builtIn(name);
    await Promise.resolve();
    try {
      return { ok: true, value: (await (handler as ((args: unknown) => unknown) | null)?.(args)) ?? null };
    } catch (error) {
      const { message, code = 'fake' } = error as Error & { code?: string };
      return { ok: false, error: { message: String(message), hint: '', code } };
    }
  }

  #post<N extends PostName>(name: N, payload: Posts[N]): void {
    if (name !== 'doc.update') return;
    const { docId, update } = payload as Posts['doc.update'];
    const document = this.documents.get(docId);
    if (!document) return;
    const marks = clearMarks(document);
    Y.applyUpdate(document.ydoc, update, 'window');
    for (const [key, mark] of clearMarks(document)) if (marks.get(key) !== mark) this.change(document, key, [{ op: 'clear' }]);
    if (!document.state.dirty) this.setState(document, { dirty: true });
  }

  setState(document: FakeDocument, change: Partial<DocumentState>): void {
    document.state = { ...document.state, ...change };
    this.emit('doc.state', document.state);
  }

  setKernel(document: FakeDocument, change: Partial<KernelView>): void {
    document.kernel = { ...document.kernel, ...change };
    this.emit('kernel.state', { docId: document.state.docId, kernel: document.kernel });
  }

  setRun(document: FakeDocument, key: string, change: Partial<CellRun>): void {
    const run = { ...(document.runs.get(key) ?? IDLE), ...change };
    document.runs.set(key, run);
    this.emit('doc.runs', { docId: document.state.docId, runs: { [key]: run } });
  }

  change(document: FakeDocument, key: string, changes: WindowOutputChange[]): void {
    let outputs: WindowOutput[] = document.outputs.get(key) ?? [];
    for (const change of changes) outputs = applyOutputChange(outputs, change);
    document.outputs.set(key, outputs);
    this.emit('doc.outputs', { docId: document.state.docId, cells: [{ key, changes }] });
  }

  open(notebook: FakeNotebook): FakeDocument {
    this.#next += 1;
    const document = new FakeDocument(`doc-${this.#next}`, notebook);
    this.documents.set(document.state.docId, document);
    document.ydoc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'window') this.emit('doc.update', { docId: document.state.docId, update });
    });
    return document;
  }

  document(docId: string): FakeDocument {
    const document = this.documents.get(docId);
    if (!document) throw new Error('That notebook is not open.');
    return document;
  }

  #builtIn(name: CallName): ((args: never) => unknown) | null {
    const table: Partial<Record<CallName, (args: never) => unknown>> = {
      'app.start': () => this.start,
      'recovery.list': () => [],
      'doc.open': ({ path }: { path: string }) => {
        const notebook = this.notebooks.get(path);
        if (!notebook) throw new Error(`${path} is not there.`);
        return this.open(notebook).snapshot();
      },
      'doc.create': () =>
        this.open({
          path: null,
          title: 'Untitled',
          cells: [{ key: 'first', id: 'a1b2c3d4', type: 'code', source: '', metadata: {} }],
        }).snapshot(),
      'doc.outputs': ({ docId, keys }: { docId: string; keys: string[] }) => {
        const { outputs } = this.document(docId);
        return Object.fromEntries(keys.map((key) => [key, outputs.get(key) ?? []]));
      },
      'doc.save': ({ docId }: { docId: string }) => {
        this.setState(this.document(docId), { dirty: false });
        return this.document(docId).state;
      },
      'doc.close': ({ docId, discard, stop }: CallArgs<'doc.close'>) => {
        const { state, runs } = this.document(docId);
        if (state.dirty && !discard) throw Object.assign(new Error('It has unsaved changes.'), { code: 'unsaved' });
        const isRunning = [...runs.values()].some((run) => run.state === 'running');
        if (isRunning && !stop) throw Object.assign(new Error('It runs.'), { code: 'running' });
      },
      'doc.clearOutputs': ({ docId, keys }: { docId: string; keys: string[] }) => {
        for (const key of keys) this.change(this.document(docId), key, [{ op: 'clear' }]);
      },
    };
    return table[name] ?? null;
  }
}

/** Which clearing of its outputs each cell has seen last. */
function clearMarks({ ydoc }: FakeDocument): Map<string, unknown> {
  return new Map(orderedKeys(ydoc).map((key) => [key, requireCell(ydoc, key).get('cleared')]));
}

/** Source of a cell in main's own copy. */
export function sourceIn(document: FakeDocument, key: string): string {
  return cellFields(document.ydoc, key).source;
}

export function keysIn(document: FakeDocument): string[] {
  return orderedKeys(document.ydoc);
}
