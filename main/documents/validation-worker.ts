/**
 * The worker that a notebook is validated in: compiling the schemas and decoding every cell would hold main for a tenth of a second and more. It reads
 * the file itself, since handing it over would cost main another copy, says what does not fit, and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openNotebook } from './open.ts';
import { findProblems, problemNotice } from './validate.ts';

/** A sentence for the person, or null when all is well. Throws NotebookOpenError. */
async function validate(path: string): Promise<string | null> {
  const { file, minor } = await openNotebook(path);
  return problemNotice(await findProblems(file, minor), minor);
}

void validate(workerData as string).then((notice) => parentPort?.postMessage(notice));
