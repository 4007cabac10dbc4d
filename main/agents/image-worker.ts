/**
 * The worker that images are scaled in: decoding a large one takes longer than a frame of the screen, and main has windows to serve. One task after
 * the other; a task that fails is answered with null and takes no other with it.
 */
import { parentPort } from 'node:worker_threads';
import { type ModelImage, type Pixels, scaledImage, screenImage } from './image-scaling.ts';

export type ImageTask = { kind: 'scale'; mime: string; bytes: Uint8Array } | { kind: 'screen'; pixels: Pixels };

export interface ImageRequest {
  id: number;
  task: ImageTask;
}

export interface ImageReply {
  id: number;
  image: ModelImage | null;
}

parentPort?.on('message', ({ id, task }: ImageRequest) => {
  const reply: ImageReply = { id, image: done(task) };
  parentPort?.postMessage(reply);
});

function done(task: ImageTask): ModelImage | null {
  try {
    return task.kind === 'scale' ? scaledImage(task.mime, task.bytes) : screenImage(task.pixels);
  } catch {
    return null;
  }
}
