/**
 * Runs a notebook from its first code cell to its last, without a window. The hard part is how it ends: whatever happens (an error, a limit,
 * Ctrl-C, the kernel's death), the outputs so far are in the document, no kernel is left, and one exit code says which it was.
 */

import { NotebookSession } from '../execution/notebook-session.ts';
import type { CellOutcome, RunSummary } from '../execution/run-queue.ts';
import type { RunTarget } from '../execution/run-target.ts';
import { SessionArtifacts } from '../execution/session-artifacts.ts';
import type { NotebookSessionOptions } from '../execution/session-options.ts';
import { KernelNotFoundError, KernelStartError } from '../kernels/errors.ts';
import { GatewayError } from '../kernels/gateway/gateway-errors.ts';
import type { Kernel, KernelSpec } from '../kernels/kernel.ts';
import { TooManyFilesError } from '../kernels/room.ts';
import { type Log, silentLog } from '../log/log.ts';
import { keptWidgets, type ShowsOutputs } from '../widgets/kept-widgets.ts';
import { WidgetSession } from '../widgets/widget-session.ts';

/** Exit codes of `cellwright run`, also in its help. */
export const EXIT = { ok: 0, cellFailed: 1, usage: 2, kernel: 3, timeout: 124, cancelled: 130 } as const;

export interface CellProgress {
  key: string;
  /** 1-based place among the code cells. */
  place: number;
  total: number;
  state: 'running' | CellOutcome | 'timeout';
  durationMs: number | null;
  error: { ename: string; evalue: string; traceback: string[] } | null;
}

/** What widgets need of a notebook. */
export interface WidgetDocument extends ShowsOutputs {
  storedWidgets(): unknown;
  saveWidgetsOf(widgets: () => Record<string, unknown> | null): void;
}

export interface NotebookRunOptions {
  document: RunTarget & WidgetDocument & { keys(): string[] };
  kernels: NotebookSessionOptions['kernels'];
  chooseSpec: NotebookSessionOptions['chooseSpec'];
  /** The kernel's working folder: the notebook's own. */
  folder: string;
  artifactFolder: string | null;
  /** Real path of the notebook that is written, which the artifacts belong to. */
  output?: string;
  /** The state of the kernel's widgets is written, too. */
  saveWidgetState?: boolean;
  /** Limit for each cell in milliseconds, or null. */
  timeoutMs: number | null;
  allowErrors: boolean;
  /** Aborted: the running cell is interrupted and the run ends. */
  signal: AbortSignal;
  onProgress?: (progress: CellProgress) => void;
  log?: Log;
}

export interface NotebookRunEnd {
  code: (typeof EXIT)[keyof typeof EXIT];
  /** What went wrong, for the person; null when nothing did. */
  message: string | null;
}

/** An interrupted cell that doesn't stop within this is ended with its kernel. */
const STOP_LIMIT_MS = 10_000;

/** Python drops an interrupt that comes in a destructor, a callback or a fork, so one that stops nothing is sent once more. */
const INTERRUPT_AGAIN_MS = 7_000;

/** Never rejects for what code or kernel do. The document is changed, not saved. */
export async function runNotebook(options: NotebookRunOptions): Promise<NotebookRunEnd> {
  const { document, signal, log } = options;
  const keys = document.keys().filter((key) => document.cell(key)?.type === 'code');
  const { artifactFolder, output = null } = options;
  const artifacts = artifactFolder === null ? null : new SessionArtifacts(artifactFolder, () => output, log);
  const widgets = new WidgetSession({
    // No artifact: what a widget took in is only in the notebook.
    artifactFolder: null,
    storedWidgets: () => document.storedWidgets(),
    onEvents: () => {},
    log: log ?? silentLog,
  });
  const session = new NotebookSession({
    target: document,
    kernels: options.kernels,
    chooseSpec: async () => {
      await artifacts?.claim();
      return withMemoryHistory(await options.chooseSpec());
    },
    cwd: () => options.folder,
    artifactFolder,
    widgets,
    ...(log ? { log } : {}),
  });
  artifacts?.follow(session);
  try {
    if (keys.length === 0) return { code: EXIT.ok, message: null };
    const kernel = await session.ensureKernel(signal);
    return await runCells(options, session, kernel, keys);
  } catch (error) {
    if (signal.aborted) return { code: EXIT.cancelled, message: 'The run was cancelled.' };
    if (!KERNEL_ERRORS.some((kind) => error instanceof kind)) throw error;
    const detail = error instanceof KernelStartError && error.stderrTail !== '' ? `\n${error.stderrTail}` : '';
    return { code: EXIT.kernel, message: (error as Error).message + detail };
  } finally {
    await keepWidgets(widgets, document, options.saveWidgetState ?? false);
    await session.shutdown();
    widgets.close();
    await artifacts?.close();
  }
}

/**
 * Their state ends with the kernel. What Output widgets took in is in no cell, so a run that filled one keeps it even where nobody asked for
 * widgets' state.
 */
async function keepWidgets(widgets: WidgetSession, document: WidgetDocument, isWanted: boolean): Promise<void> {
  await widgets.settled();
  if (!isWanted && !widgets.isFilled) return;
  const state = widgets.stateToSave(() => keptWidgets(document));
  document.saveWidgetsOf(() => state);
}

const LOST = 'The connection to the kernel broke while it ran: the rest of its output and its result are missing. Run the notebook again.';

/** Why there is no kernel, in words for whoever started the run. */
const KERNEL_ERRORS = [KernelStartError, KernelNotFoundError, GatewayError, TooManyFilesError];

async function runCells(options: NotebookRunOptions, session: NotebookSession, kernel: Kernel, keys: string[]): Promise<NotebookRunEnd> {
  const { allowErrors, signal, onProgress = () => {} } = options;
  let timedOut: string | null = null;
  for (const [index, key] of keys.entries()) {
    if (signal.aborted) return { code: EXIT.cancelled, message: 'The run was cancelled.' };
    if (isDead(kernel)) return died(session);
    const progress = { key, place: index + 1, total: keys.length };
    onProgress({ ...progress, state: 'running', durationMs: null, error: null });
    const { summary, exceeded } = await runCell(options, session, key);
    const outcome = summary.cells[0]!.outcome;
    const error = signal.aborted ? null : (summary.failure?.error ?? null);
    const state = signal.aborted ? 'cancelled' : exceeded ? 'timeout' : outcome;
    onProgress({ ...progress, state, durationMs: session.runs().get(key)?.durationMs ?? null, error });
    if (signal.aborted) return { code: EXIT.cancelled, message: 'The run was cancelled.' };
    if (exceeded) {
      timedOut ??= `Cell ${index + 1} took longer than ${options.timeoutMs! / 1000} seconds.`;
      if (!allowErrors || isDead(kernel)) return { code: EXIT.timeout, message: timedOut };
    } else if (summary.failure?.status === 'dead') return died(session);
    else if (summary.failure?.status === 'lost') return { code: EXIT.kernel, message: `Cell ${index + 1}: ${LOST}` };
    else if (outcome === 'failed' && !allowErrors)
      return {
        code: EXIT.cellFailed,
        message: `Cell ${index + 1} failed: ${error ? `${error.ename}: ${error.evalue}` : 'see its output'}`,
      };
    else if (outcome === 'cancelled') return { code: EXIT.cellFailed, message: `Cell ${index + 1} was not run to its end by the kernel.` };
  }
  return timedOut === null ? { code: EXIT.ok, message: null } : { code: EXIT.timeout, message: timedOut };
}

/** One cell, ended by the limit or the signal when need be: first by an interrupt, then with its kernel. */
async function runCell(
  options: NotebookRunOptions,
  session: NotebookSession,
  key: string,
): Promise<{ summary: RunSummary; exceeded: boolean }> {
  const { timeoutMs, signal, allowErrors } = options;
  let exceeded = false;
  const stopping: NodeJS.Timeout[] = [];
  // A kernel that can't be interrupted is ended by the limit.
  const interrupt = (): void => void session.interrupt().catch(() => {});
  const stop = (): void => {
    if (stopping.length > 0) return;
    stopping.push(
      setTimeout(interrupt, INTERRUPT_AGAIN_MS),
      setTimeout(() => void session.shutdown(), STOP_LIMIT_MS),
    );
    interrupt();
  };
  const exceed = (): void => {
    exceeded = true;
    stop();
  };
  const timer = timeoutMs === null ? null : setTimeout(exceed, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return { summary: await session.runCells([key], { allowErrors, allowStdin: false }), exceeded };
  } finally {
    signal.removeEventListener('abort', stop);
    if (timer) clearTimeout(timer);
    for (const waiting of stopping) clearTimeout(waiting);
  }
}

/** Asked anew each time: it changes between two cells. */
function isDead(kernel: Kernel): boolean {
  return kernel.state === 'dead';
}

function died(session: NotebookSession): NotebookRunEnd {
  const { message, detail } = session.kernelView();
  return { code: EXIT.kernel, message: `${message ?? 'The kernel ended.'}${detail ? `\n${detail}` : ''}` };
}

/** A batch must not fill the person's IPython history, nor wait for other kernels at its database. */
function withMemoryHistory(choice: { spec: KernelSpec; note: string | null }): { spec: KernelSpec; note: string | null } {
  const { spec } = choice;
  if (!spec.argv.some((argument) => /\bipykernel(_launcher)?\b/.test(argument))) return choice;
  return { ...choice, spec: { ...spec, argv: [...spec.argv, '--HistoryManager.hist_file=:memory:'] } };
}
