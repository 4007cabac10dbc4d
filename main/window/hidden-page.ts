/**
 * A window that nobody sees, in which the app draws outputs to take pictures of them. It has the bridge of the other windows, but may ask for nothing
 * except the outputs it shows. The hard thing is an output that misbehaves: its frame may never answer again, so no question here waits for ever.
 */
import { BrowserWindow, type WebContents, type WebFrameMain } from 'electron';
import { CALL_CHANNEL } from '../../preload/channels.ts';
import type { Result, WindowOutput } from '../../preload/contract.ts';
import type { WidgetModel } from '../../preload/widget-messages.ts';
import type { Pixels } from '../agents/image-scaling.ts';
import type { ConsoleLine } from '../agents/output-viewer.ts';
import { type ConsoleEvent, ConsoleLines, consoleMessage } from './console-lines.ts';
import { frameUrl, isTopFrame } from './frame-facts.ts';
import { LOCKED_DOWN } from './locked-down.ts';
import { maySendIpc, originOf } from './permissions.ts';

/** A page that says nothing for this long is asked again. */
const ANSWER_MS = 1_000;
const CAPTURE_MS = 5_000;
/** More frames of a picture than this nobody sees. */
const FRAMES_PER_SECOND = 20;

/** Runs in the page of ours. Null until its script has run. */
const MEASURE = `(() => {
  const view = document.getElementById('view');
  if (!view) return null;
  const loaded = document.fonts.status === 'loaded' && [...document.images].every((image) => image.complete);
  return { drawn: 'drawn' in view.dataset && loaded, failed: view.dataset.failed ?? null, height: Math.ceil(view.getBoundingClientRect().height) };
})()`;

/** Runs in frames. Our own scripts there say when they still draw. */
const FRAME_STATE = "'drawing' in document.documentElement.dataset ? 'loading' : document.readyState";

export interface Measured {
  /** Everything that the page draws by itself is there. */
  drawn: boolean;
  failed: string | null;
  height: number;
}

interface ShownOutputs {
  docId: string;
  cellKey: string;
  outputs: () => Record<string, WindowOutput[]>;
  /** A widget to look at; what a picture shows is never operated. */
  widget: (modelId: string) => Promise<WidgetModel | null>;
}

export interface HiddenPageOptions {
  preload: string;
  /** What the page may ask for, and nothing else. */
  outputs: () => ShownOutputs | null;
}

export class HiddenPage {
  readonly #window: BrowserWindow;
  readonly #contents: WebContents;
  #lines = new ConsoleLines();
  #paintedAt = 0;
  /** Why there is no page any more. */
  #gone: string | null = null;

  constructor({ preload, outputs }: HiddenPageOptions) {
    this.#window = new BrowserWindow({
      show: false,
      frame: false,
      skipTaskbar: true,
      useContentSize: true,
      webPreferences: {
        preload,
        offscreen: true,
        ...LOCKED_DOWN,
        backgroundThrottling: false,
      },
    });
    this.#contents = this.#window.webContents;
    this.#contents.setAudioMuted(true);
    this.#contents.setFrameRate(FRAMES_PER_SECOND);
    this.#contents.on('paint', () => {
      this.#paintedAt = performance.now();
    });
    this.#contents.on('console-message', (event, ...rest: unknown[]) => {
      const line = consoleMessage(event as ConsoleEvent, rest);
      if (line) this.#lines.add(line);
    });
    this.#contents.on('render-process-gone', (_event, { reason }) => {
      this.#gone ??= reason;
    });
    this.#window.on('closed', () => {
      this.#gone ??= 'closed';
    });
    // The handlers of the app's windows do not know this page; these are its own.
    this.#contents.ipc.handle(CALL_CHANNEL, async (event, name: unknown, args: unknown): Promise<Result<unknown>> => {
      const sender = { knownWindow: true, topFrame: isTopFrame(event.senderFrame, this.#contents), url: frameUrl(event.senderFrame) };
      const shown = outputs();
      const allowed = maySendIpc(sender).allow && shown !== null;
      if (allowed && name === 'doc.outputs' && isFor(args, shown)) return { ok: true, value: shown.outputs() };
      const modelId = allowed && name === 'widget.model' ? modelAsked(args, shown.docId) : null;
      if (allowed && modelId !== null) return { ok: true, value: await shown.widget(modelId) };
      return { ok: false, error: { message: 'This page only shows outputs.', hint: '', code: 'forbidden' } };
    });
  }

  get gone(): string | null {
    return this.#gone;
  }

  /** Milliseconds since the page looked different. */
  get calmFor(): number {
    return performance.now() - this.#paintedAt;
  }

  /** Rejects when it does not load. */
  async load(address: string): Promise<void> {
    this.#lines = new ConsoleLines();
    this.#paintedAt = performance.now();
    await this.#contents.loadURL(address);
  }

  resize(width: number, height: number): void {
    const [presentWidth, presentHeight] = this.#window.getContentSize();
    if (presentWidth !== width || presentHeight !== height) this.#window.setContentSize(width, height);
  }

  /** Leaves out so many pixels at the top. */
  async shift(top: number): Promise<void> {
    this.#paintedAt = performance.now();
    await answerOf(this.#contents.mainFrame, `document.getElementById('view').style.marginTop = '${-top}px'`);
  }

  /** Null when the page has no answer now. */
  async measure(): Promise<Measured | null> {
    return answerOf<Measured>(this.#contents.mainFrame, MEASURE);
  }

  /** `silent`: a frame's script leaves it no time to answer. */
  async frames(): Promise<'complete' | 'loading' | 'silent'> {
    const frames = this.#contents.mainFrame.frames.filter((frame) => originOf(frameUrl(frame) ?? '')?.startsWith('output:'));
    const states = await Promise.all(frames.map((frame) => answerOf<string>(frame, FRAME_STATE)));
    if (states.includes(null)) return 'silent';
    return states.every((state) => state === 'complete') ? 'complete' : 'loading';
  }

  get console(): { lines: ConsoleLine[]; leftOut: number } {
    return this.#lines.taken();
  }

  /** Null when there is no picture to be had. */
  async capture(): Promise<Pixels | null> {
    const image = await within(this.#contents.capturePage(), CAPTURE_MS);
    if (!image || image.isEmpty()) return null;
    const data = image.toBitmap();
    const { width, height } = image.getSize();
    // A bitmap has the pixels of the screen, which are several to a point on some.
    const scale = Math.sqrt(data.length / 4 / (width * height));
    return { width: Math.round(width * scale), height: Math.round(height * scale), data };
  }

  /** Ends what the outputs still do. False when the page does not follow. */
  async clear(): Promise<boolean> {
    if (this.#gone !== null) return false;
    const cleared = this.#contents.loadURL('about:blank').then(
      () => true,
      () => false,
    );
    return (await within(cleared, ANSWER_MS)) ?? false;
  }

  destroy(): void {
    this.#gone ??= 'closed';
    if (!this.#window.isDestroyed()) this.#window.destroy();
  }
}

function modelAsked(args: unknown, docId: string): string | null {
  const { docId: id, modelId } = (args ?? {}) as { docId?: unknown; modelId?: unknown };
  return id === docId && typeof modelId === 'string' ? modelId : null;
}

function isFor(args: unknown, { docId, cellKey }: { docId: string; cellKey: string }): boolean {
  const { docId: id, keys } = (args ?? {}) as { docId?: unknown; keys?: unknown };
  return id === docId && Array.isArray(keys) && keys.every((key) => key === cellKey);
}

async function answerOf<T>(frame: WebFrameMain, code: string): Promise<T | null> {
  try {
    return await within(frame.executeJavaScript(code) as Promise<T>, ANSWER_MS);
  } catch {
    return null;
  }
}

/** Null when it takes longer. */
function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
