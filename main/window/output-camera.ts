/**
 * Pictures of outputs for agents: one after the other in one hidden page, which is closed when nobody asked for a while. The hard thing is knowing when
 * an output is done: it is when everything is loaded and nothing moved for a moment, and an output that never rests is told from one that hangs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type OutputView, OutputViewError, type OutputViewer, PICTURE_HEIGHT, type ViewRequest } from '../agents/output-viewer.ts';
import { errorFields, type Log } from '../log/log.ts';
import { HiddenPage, type Measured } from './hidden-page.ts';
import type { OpenNotebooks } from './open-notebooks.ts';
import { APP_ORIGIN } from './permissions.ts';
import type { ThemeLook } from './theme-look.ts';

/** Between two looks at the page. */
const LOOK_MS = 50;
/** Nothing moved for this long: it is done. Libraries draw in steps that follow each other within it. */
const CALM_MS = 400;
/** An output that moves for ever is taken as it is after this. */
const RESTLESS_MS = 8_000;
/** Until then our page has drawn, and every frame has answered. */
const LIMIT_MS = 20_000;
/** A hidden page is a process more; agents look at outputs in bursts. */
const IDLE_MS = 60_000;
/** Before the content's own height is known. */
const FIRST_HEIGHT = 600;
/** Drawn at once, so that everything in it loads; a picture shows a part of it. */
const DRAWN_HEIGHT = 6_000;

export interface OutputCameraOptions {
  notebooks: OpenNotebooks;
  preload: string;
  /** The theme of the windows. */
  look: () => ThemeLook;
  log: Log;
}

export class OutputCamera implements OutputViewer {
  readonly #options: OutputCameraOptions;
  #page: HiddenPage | null = null;
  #shown: ViewRequest | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(options: OutputCameraOptions) {
    this.#options = options;
  }

  async view(request: ViewRequest): Promise<OutputView> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await orAborted(before, request.signal);
      return await this.#take(request);
    } finally {
      // One that was cancelled while it waited must not let the next one overtake.
      void before.then(end);
    }
  }

  /** Closes the hidden page; whoever waits for a picture is told that there is none. */
  close(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#page?.destroy();
    this.#page = null;
  }

  async #take(request: ViewRequest): Promise<OutputView> {
    const { preload, notebooks, log } = this.#options;
    if (this.#idle) clearTimeout(this.#idle);
    this.#shown = request;
    this.#page ??= new HiddenPage({ preload, outputs: () => this.#asked(notebooks) });
    const page = this.#page;
    let healthy = false;
    try {
      const view = await this.#draw(page, request);
      healthy = true;
      return view;
    } catch (error) {
      if (error instanceof OutputViewError) log.warn('output-view.failed', errorFields(error));
      throw error;
    } finally {
      this.#shown = null;
      // What a page still does after a failure nobody knows.
      if (!healthy || !(await page.clear())) {
        page.destroy();
        if (this.#page === page) this.#page = null;
      }
      this.#idle = setTimeout(() => this.close(), IDLE_MS);
      this.#idle.unref();
    }
  }

  #asked(notebooks: OpenNotebooks) {
    const shown = this.#shown;
    const notebook = shown && notebooks.find(shown.docId);
    if (!shown || !notebook) return null;
    return {
      ...shown,
      outputs: () => notebook.outputs([shown.cellKey]),
      widget: async (modelId: string) => (notebook.document.trusted ? notebook.widgets.model(modelId) : null),
    };
  }

  async #draw(page: HiddenPage, request: ViewRequest): Promise<OutputView> {
    const theme = request.theme ?? this.#options.look();
    const trusted = this.#options.notebooks.find(request.docId)?.document.trusted ?? false;
    page.resize(request.width, FIRST_HEIGHT);
    const loading = page.load(pageAddress(request, theme, trusted)).catch(async () => {
      // Why it ended is told a moment later.
      await delay(LOOK_MS);
      throw page.gone === null ? new OutputViewError(NOT_LOADED) : ended(page.gone);
    });
    const work = Promise.all([loading, this.#settle(page, request)]);
    const [, { height, settled }] = await orAborted(work, request.signal);
    await this.#showPart(page, request, height);
    const pixels = await page.capture();
    if (!pixels) throw new OutputViewError('The output was drawn, but no picture of it could be taken. Call again.');
    const { lines, leftOut } = page.console;
    return { pixels, theme, totalHeight: height, settled, console: lines, consoleLeftOut: leftOut };
  }

  async #settle(page: HiddenPage, { width, signal }: ViewRequest): Promise<{ height: number; settled: boolean }> {
    const begin = performance.now();
    let silent = false;
    let drawn: Measured | null = null;
    while (performance.now() - begin < LIMIT_MS) {
      await delay(LOOK_MS, undefined, { signal });
      if (page.gone !== null) throw ended(page.gone);
      const measured = await page.measure();
      if (measured?.failed) throw new OutputViewError(`The output could not be shown: ${measured.failed}`);
      if (!measured?.drawn) continue;
      drawn = measured;
      page.resize(width, Math.min(Math.max(measured.height, 1), DRAWN_HEIGHT));
      const restless = performance.now() - begin > RESTLESS_MS;
      if (page.calmFor < CALM_MS && !restless) continue;
      const frames = await page.frames();
      silent = frames === 'silent';
      const settled = frames === 'complete' && page.calmFor >= CALM_MS;
      if (settled || (restless && !silent)) return { height: measured.height, settled };
    }
    if (page.gone !== null) throw ended(page.gone);
    if (silent || !drawn) throw new OutputViewError(silent ? ENDLESS : NOT_DRAWN);
    return { height: drawn.height, settled: false };
  }

  /** Brings the part that the picture shows into view. */
  async #showPart(page: HiddenPage, { width, top, signal }: ViewRequest, height: number): Promise<void> {
    const part = Math.min(Math.max(height - top, 1), PICTURE_HEIGHT);
    if (top === 0 && part === height) return;
    await page.shift(top);
    page.resize(width, part);
    const begin = performance.now();
    do await delay(LOOK_MS, undefined, { signal });
    while (page.gone === null && page.calmFor < CALM_MS && performance.now() - begin < RESTLESS_MS);
    if (page.gone !== null) throw ended(page.gone);
  }
}

const NOT_LOADED = 'The page that draws outputs could not be loaded. Read the output with notebook_read instead.';
const ENDLESS = `A script in this output keeps its frame busy and did not come to an end within ${LIMIT_MS / 1000} s, so there is no picture. Look for an endless loop in what the cell shows.`;
const NOT_DRAWN = `The output was not drawn within ${LIMIT_MS / 1000} s, so there is no picture. It may be too large: read it with notebook_read instead.`;

function ended(reason: string): OutputViewError {
  if (reason === 'closed')
    return new OutputViewError('Cellwright’s windows were closed while the output was drawn. Open the notebook and call again.');
  return new OutputViewError(
    `The page that draws outputs ended while it drew this one (${reason}). Nothing else is affected. If it happens again, the output is too heavy: read it with notebook_read.`,
  );
}

function pageAddress({ docId, cellKey, index, whole }: ViewRequest, theme: string, trusted: boolean): string {
  const query = new URLSearchParams({ docId, cellKey, theme });
  if (index !== null) query.set('index', String(index));
  if (whole) query.set('whole', '');
  if (trusted) query.set('trusted', '');
  return `${APP_ORIGIN}/output-view.html?${query}`;
}

/** Throws the signal's reason when that comes first. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
