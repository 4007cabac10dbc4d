/**
 * Main's end of the image worker: started with the first image, ended when there was none for a while. The hard thing is a worker that dies, as one
 * without memory does: whoever waits gets no image instead of waiting for ever, and the next image starts another.
 */
import { Worker } from 'node:worker_threads';
import { errorFields, type Log } from '../log/log.ts';
import { asItIs, type ModelImage, type Pixels } from './image-scaling.ts';
import type { ImageReply, ImageRequest, ImageTask } from './image-worker.ts';

/** Agents look at images in bursts; a thread that waits costs some megabytes. */
const IDLE_MS = 30_000;

export class ImageWork {
  readonly #file: string;
  readonly #log: Log;
  readonly #waiting = new Map<number, (image: ModelImage | null) => void>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last = 0;

  /** `file` is the built worker. */
  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** In a size that a model reads. Null for what can't be shown to a model. */
  async fitted(mime: string, bytes: Uint8Array): Promise<ModelImage | null> {
    const image = asItIs(mime, bytes);
    return image === 'scaling' ? this.#do({ kind: 'scale', mime, bytes }) : image;
  }

  /** A picture of the screen as a file; its pixels come as blue, green, red and opacity. */
  ofScreen(pixels: Pixels): Promise<ModelImage | null> {
    return this.#do({ kind: 'screen', pixels });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#gone(worker);
    await worker?.terminate();
  }

  #do(task: ImageTask): Promise<ModelImage | null> {
    if (this.#idle) clearTimeout(this.#idle);
    this.#last += 1;
    const request: ImageRequest = { id: this.#last, task };
    return new Promise((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.#worker ??= this.#start();
      this.#worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#file);
    // It must not keep a program from its end.
    worker.unref();
    worker.on('message', ({ id, image }: ImageReply) => {
      this.#waiting.get(id)?.(image);
      this.#waiting.delete(id);
      if (this.#waiting.size > 0) return;
      this.#idle = setTimeout(() => void this.close(), IDLE_MS);
      this.#idle.unref();
    });
    worker.on('error', (error) => {
      this.#log.warn('agents.image-worker-failed', errorFields(error));
      this.#gone(worker);
    });
    worker.on('exit', () => this.#gone(worker));
    return worker;
  }

  #gone(worker: Worker | null): void {
    if (worker === null || this.#worker !== worker) return;
    this.#worker = null;
    if (this.#idle) clearTimeout(this.#idle);
    for (const give of this.#waiting.values()) give(null);
    this.#waiting.clear();
  }
}
