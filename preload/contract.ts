/**
 * The IPC contract: every call and event between main and a window, as zod schemas. Main checks each argument against them;
 * the renderer uses the inferred types. Nothing else crosses: no Node, no file contents by path, no base64 images (those travel as
 * `output://` and `artifact://` URLs).
 */
import * as z from 'zod';
import { type AgentCalls, type AgentEvents, agentCallSchemas } from './agent-sessions.ts';
import { type KeptCalls, keptCallSchemas } from './kept-versions.ts';
import type { Output, OutputChange } from './output-change.ts';
import { type FileTrouble, type KeptFromFile, type OutsideCalls, type OutsideEvents, outsideCallSchemas } from './outside-changes.ts';
import { type WidgetCalls, type WidgetEvents, type WidgetPosts, widgetCallSchemas, widgetPostSchemas } from './widget-messages.ts';

// ---- values -------------------------------------------------------------------------------------------------------------------------

const docId = z.string().min(1).max(64);
const cellKey = z.string().min(1).max(64);
const bytes = z.instanceof(Uint8Array);

/** One MIME payload as a window gets it: small text and JSON inline, everything else as a URL that main serves. */
/** `exact`: the JSON as the file has it, where numbers in it are larger than a value can hold. */
export type WindowPayload = { kind: 'inline'; value: unknown; exact?: string } | { kind: 'url'; url: string; bytes: number };
export type WindowOutput = Output<WindowPayload>;
export type WindowOutputChange = OutputChange<WindowPayload>;

/** Where a cell is on its way through the kernel. Times are milliseconds since the epoch and durations in milliseconds. */
export interface CellRun {
  state: 'idle' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  executionCount: number | null;
  startedAt: number | null;
  durationMs: number | null;
  /** Set while the code waits in `input()`: the prompt, and whether it must not be echoed. */
  input: { prompt: string; password: boolean } | null;
  /** Why the outputs can't be relied on, null when they can. */
  stale: StaleReason | null;
}

/**
 * Why a cell's outputs may not fit the notebook as it is: the source changed after the run that made them, the kernel was restarted since, a
 * cell above was run later, or they come from before this session.
 */
export type StaleReason = 'edited' | 'kernel-restarted' | 'out-of-order' | 'not-run';

export interface KernelView {
  state: 'none' | 'starting' | 'idle' | 'busy' | 'restarting' | 'not-responding' | 'dead';
  /** Display name of the kernelspec or interpreter, e.g. `Python 3.12 (.venv)`. */
  name: string;
  kernelspecName: string | null;
  language: string;
  /** Counts restarts: outputs of an older generation come from variables that are gone. */
  generation: number;
  /** One sentence for the person when something is wrong, ending in what to do. */
  message: string | null;
  /** What the message says is mended by a restart. */
  restartHelps?: boolean;
  /** The last lines of the kernel process's own stderr when it failed. */
  detail: string | null;
  queued: number;
}

export interface KernelChoice {
  name: string;
  displayName: string;
  language: string;
  /** What the choice starts: the interpreter or the program of the kernelspec. */
  path: string;
  source: 'kernelspec' | 'project' | 'interpreter' | 'managed' | 'gateway';
  /** False: it can't be started as it is, and `note` says what it needs. */
  ready: boolean;
  /** A few words beside the name, or null. */
  note: string | null;
}

export interface DocumentState {
  docId: string;
  /** null: never saved. */
  path: string | null;
  title: string;
  dirty: boolean;
  saving: boolean;
  readOnly: boolean;
  /** Scripts in stored outputs may run (the person said so, or all outputs were made in this session). */
  trusted: boolean;
  /** Short sentences about this file that the person should see, e.g. that it was converted or that ids were missing. */
  notices: string[];
  /** Cells that were changed here and in the file, each in its way. */
  conflicts?: number;
  /** What the file has lost and is kept here. */
  kept?: KeptFromFile | null;
  /** The file is gone or can't be read. */
  trouble?: FileTrouble | null;
}

export interface DocumentSnapshot {
  document: DocumentState;
  /** Yjs update that makes an empty Y.Doc equal to the document (see notebook-model.ts). */
  update: Uint8Array;
  runs: Record<string, CellRun>;
  kernel: KernelView;
  /** Number of outputs per cell that has any: lets a window reserve room before it asks for them. */
  outputCounts: Record<string, number>;
}

/** Work that a crash left unsaved, as the person is asked about it. */
export interface LeftWorkView {
  id: string;
  title: string;
  folder: string | null;
  /** How many cells were changed, added or taken away. */
  cells: number;
  /** Milliseconds since the epoch of the last change. */
  changedAt: number;
  /** `same`: the file is as it was; `changed` or `gone`: it is not, and the work opens beside it; `untitled`: there was none. */
  state: 'same' | 'changed' | 'gone' | 'untitled';
}

export interface FileEntry {
  name: string;
  path: string;
  kind: 'folder' | 'notebook' | 'file';
}

export interface StartInfo {
  version: string;
  platform: 'linux' | 'darwin' | 'win32';
  /** The folder shown in the side bar. */
  folder: string;
  home: string;
  recent: { path: string; title: string; openedAt: number }[];
  examples: { name: string; title: string; description: string }[];
  theme: ThemeChoice;
  /**
   * Notebooks this window shows, in tab order: documents' ids after a reload, absolute paths for files given on the command line.
   * `doc.open` takes either.
   */
  open: string[];
  /** The one in front after a reload: an entry of `open`, or null. */
  active: string | null;
  agentCommand: string;
  /** Short sentences about this start that the person should see, e.g. that the settings file could not be used. */
  notices: string[];
}

export type ThemeChoice = 'system' | 'light' | 'dark' | 'high-contrast';
const theme = z.enum(['system', 'light', 'dark', 'high-contrast']);

/** An operation that failed in a way the person can act on. */
export interface Failure {
  /** What happened, in one sentence. */
  message: string;
  /** What to do next, in one sentence; empty when the message says it. */
  hint: string;
  /** Machine-readable kind, e.g. `not-found`, `bad-json`, `read-only`, `conflict`. */
  code: string;
  /** Longer text, e.g. a parser position or a kernel's stderr. */
  detail?: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

// ---- calls: renderer → main ------------------------------------------------------------------------------------------------------------

interface Calls extends AgentCalls, KeptCalls, OutsideCalls, WidgetCalls {
  'app.start': { args: undefined; result: StartInfo };
  'app.openDialog': { args: undefined; result: { paths: string[] } };
  'app.openExternal': { args: { url: string }; result: null };
  'app.setTheme': { args: { theme: ThemeChoice }; result: null };
  'app.copyText': { args: { text: string }; result: null };
  'files.list': { args: { folder: string }; result: FileEntry[] };
  'files.chooseFolder': { args: undefined; result: { folder: string | null } };
  /** `path` may also be the id of an open document, as `StartInfo.open` gives it. */
  'doc.open': { args: { path: string }; result: DocumentSnapshot };
  'doc.example': { args: { name: string }; result: DocumentSnapshot };
  'doc.create': { args: { folder: string | null }; result: DocumentSnapshot };
  /** Attach to a document that main already holds (reload, second window). */
  'doc.attach': { args: { docId: string }; result: DocumentSnapshot };
  'doc.outputs': { args: { docId: string; keys: string[] }; result: Record<string, WindowOutput[]> };
  'doc.save': { args: { docId: string }; result: DocumentState };
  /** Shows the system's dialog unless `path` is given. Resolves to null when the person cancels. */
  'doc.saveAs': { args: { docId: string; path: string | null }; result: DocumentState | null };
  /** Makes every CRLF of the notebook's file an LF; `changed` says how many there were. */
  'doc.normaliseLineEnds': { args: { docId: string }; result: { changed: number } };
  /**
   * Shuts the notebook's kernel down when no other window shows it. Fails with code `unsaved` when work would be lost and `discard` is false, and with
   * `running` when code would be stopped and `stop` is false: main knows of every keystroke and run, the page hears of its own a little later.
   */
  'doc.close': { args: { docId: string; discard: boolean; stop: boolean }; result: null };
  'doc.trust': { args: { docId: string }; result: DocumentState };
  'doc.clearOutputs': { args: { docId: string; keys: string[] }; result: null };
  /** Runs code cells one after the other, in the order given; others are skipped. */
  'run.cells': { args: { docId: string; keys: string[] }; result: null };
  'run.interrupt': { args: { docId: string }; result: null };
  'run.input': { args: { docId: string; key: string; value: string }; result: null };
  'kernel.choices': { args: { docId: string }; result: KernelChoice[] };
  'kernel.select': { args: { docId: string; name: string }; result: null };
  'kernel.start': { args: { docId: string }; result: null };
  'kernel.restart': { args: { docId: string }; result: null };
  'kernel.shutdown': { args: { docId: string }; result: null };
  'kernel.complete': {
    args: { docId: string; code: string; cursor: number };
    result: { matches: { text: string; type: string }[]; start: number; end: number };
  };
  'kernel.inspect': { args: { docId: string; code: string; cursor: number }; result: { text: string | null } };
  /** What a crash left unsaved and nobody has decided on; empty when another window asks already. */
  'recovery.list': { args: undefined; result: LeftWorkView[] };
  /** The document before the work was laid over it, and the Yjs update that did, by the client `writer`: a window takes it as its own, to be undone. */
  'recovery.restore': { args: { id: string }; result: { snapshot: DocumentSnapshot; change: Uint8Array; writer: number } };
  /** The file stays as it is; the work is kept aside for a while. */
  'recovery.keep': { args: { id: string }; result: null };
  /** The person's answer to a `window.closing` event. */
  'window.close': { args: { proceed: boolean }; result: null };
}

export type CallName = keyof Calls;
export type CallArgs<N extends CallName> = Calls[N]['args'];
export type CallResult<N extends CallName> = Calls[N]['result'];

const code = z.string().max(10_000_000);
const path = z.string().min(1).max(4096);
const nothing = z.undefined();

/** Argument schemas by call. Main refuses a call whose argument does not fit. */
export const callSchemas: { [N in CallName]: z.ZodType<CallArgs<N>> } = {
  'app.start': nothing,
  'app.openDialog': nothing,
  'app.openExternal': z.object({ url: z.url({ protocol: /^(https?|mailto)$/ }) }),
  'app.setTheme': z.object({ theme }),
  'app.copyText': z.object({ text: z.string().max(50_000_000) }),
  'files.list': z.object({ folder: path }),
  'files.chooseFolder': nothing,
  'doc.open': z.object({ path }),
  'doc.example': z.object({ name: z.string().max(100) }),
  'doc.create': z.object({ folder: path.nullable() }),
  'doc.attach': z.object({ docId }),
  'doc.outputs': z.object({ docId, keys: z.array(cellKey).max(500) }),
  'doc.save': z.object({ docId }),
  'doc.saveAs': z.object({ docId, path: path.nullable() }),
  'doc.normaliseLineEnds': z.object({ docId }),
  'doc.close': z.object({ docId, discard: z.boolean(), stop: z.boolean() }),
  'doc.trust': z.object({ docId }),
  'doc.clearOutputs': z.object({ docId, keys: z.array(cellKey).max(100_000) }),
  'run.cells': z.object({ docId, keys: z.array(cellKey).max(100_000) }),
  'run.interrupt': z.object({ docId }),
  'run.input': z.object({ docId, key: cellKey, value: z.string().max(1_000_000) }),
  'kernel.choices': z.object({ docId }),
  'kernel.select': z.object({ docId, name: z.string().min(1).max(4096) }),
  'kernel.start': z.object({ docId }),
  'kernel.restart': z.object({ docId }),
  'kernel.shutdown': z.object({ docId }),
  'kernel.complete': z.object({ docId, code, cursor: z.number().int().min(0) }),
  'kernel.inspect': z.object({ docId, code, cursor: z.number().int().min(0) }),
  'recovery.list': nothing,
  'recovery.restore': z.object({ id: z.uuid() }),
  'recovery.keep': z.object({ id: z.uuid() }),
  'window.close': z.object({ proceed: z.boolean() }),
  ...agentCallSchemas,
  ...keptCallSchemas,
  ...outsideCallSchemas,
  ...widgetCallSchemas,
};

// ---- one-way posts: renderer → main (a keystroke never waits for an answer) ----------------------------------------------------------------

export interface Posts extends WidgetPosts {
  /** A Yjs update made in this window. */
  'doc.update': { docId: string; update: Uint8Array };
  /** The notebooks of this window in tab order, and the one in front. */
  'window.tabs': { open: string[]; active: string | null };
}

export type PostName = keyof Posts;

export const postSchemas: { [N in PostName]: z.ZodType<Posts[N]> } = {
  'doc.update': z.object({ docId, update: bytes }),
  'window.tabs': z.object({ open: z.array(docId).max(1000), active: docId.nullable() }),
  ...widgetPostSchemas,
};

// ---- events: main → renderer -------------------------------------------------------------------------------------------------------------

export interface Events extends AgentEvents, OutsideEvents, WidgetEvents {
  /** A Yjs update made elsewhere (another window, an agent, the disk). */
  'doc.update': { docId: string; update: Uint8Array };
  'doc.state': DocumentState;
  /** At most one per 16 ms and document. Apply the changes of one cell in order. */
  'doc.outputs': { docId: string; cells: { key: string; changes: WindowOutputChange[] }[] };
  'doc.runs': { docId: string; runs: Record<string, CellRun> };
  'kernel.state': { docId: string; kernel: KernelView };
  /** A command chosen in the application menu; ids are those of the command palette. */
  'menu.command': { id: string };
  /** Open this file in a tab (second start of the app, file manager, command line). */
  'app.openFile': { path: string };
  'theme.changed': { theme: ThemeChoice; dark: boolean };
  /** The person wants to close the window while `unsaved` documents or running kernels are left: ask, then call `window.close`. */
  /** `agents`: those whose Python code runs in kernels of their own, each with its folder's name; only before the last window closes. */
  'window.closing': {
    unsaved: { docId: string; title: string }[];
    running: { docId: string; title: string }[];
    agents: { name: string; folder: string }[];
  };
}

export type EventName = keyof Events;

/** What the preload script puts on `window.cellwright`. */
export interface Bridge {
  call<N extends CallName>(name: N, args: CallArgs<N>): Promise<Result<CallResult<N>>>;
  post<N extends PostName>(name: N, payload: Posts[N]): void;
  /** Returns a function that ends the subscription. */
  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void;
  /** Where a file that was dropped on the page lies on the disk; empty for one that lies nowhere. */
  pathOfFile(file: File): string;
}

export { CALL_CHANNEL, EVENT_CHANNEL, POST_CHANNEL } from './channels.ts';
