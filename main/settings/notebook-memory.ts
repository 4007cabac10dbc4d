/**
 * What is remembered of each notebook between starts, by its real path: the kernel that the person chose, and which outputs they trust. It lies
 * in the profile and never in the notebook, which other people's files could then claim for themselves.
 */
import * as z from 'zod';
import { JsonFile } from './json-file.ts';

/** Notebooks beyond this are forgotten, those used longest ago first. */
const MAX_NOTEBOOKS = 500;

const kernelSchema = z.object({ name: z.string().min(1), displayName: z.string() });

const entrySchema = z.object({
  usedAt: z.number(),
  kernel: kernelSchema.nullable().catch(null),
  trustedOutputs: z.string().nullable().catch(null),
});

const memorySchema = z.object({ notebooks: z.record(z.string(), entrySchema) });

type Memory = z.infer<typeof memorySchema>;

/** A choice in the list of kernels. */
export type RememberedKernel = z.infer<typeof kernelSchema>;

export interface NotebookFacts {
  kernel: RememberedKernel | null;
  /** Digest of the outputs that were trusted last. */
  trustedOutputs: string | null;
}

const NOTHING: NotebookFacts = { kernel: null, trustedOutputs: null };

export class NotebookMemory {
  readonly #file: JsonFile<Memory>;
  #notebooks: Memory['notebooks'] = {};

  private constructor(file: string) {
    this.#file = new JsonFile(file, memorySchema);
  }

  static async open(file: string): Promise<NotebookMemory> {
    const memory = new NotebookMemory(file);
    memory.#notebooks = (await memory.#file.read({ notebooks: {} })).value.notebooks;
    return memory;
  }

  of(realPath: string): NotebookFacts {
    return this.#notebooks[realPath] ?? NOTHING;
  }

  /** Does nothing when all of it is known. Rejects when the file can't be written; it then lasts for this start only. */
  async remember(realPath: string, facts: Partial<NotebookFacts>, now = Date.now()): Promise<void> {
    const before = this.of(realPath);
    const after = { ...before, ...facts };
    if (JSON.stringify(before.kernel) === JSON.stringify(after.kernel) && before.trustedOutputs === after.trustedOutputs) return;
    const others = Object.entries(this.#notebooks).filter(([path]) => path !== realPath);
    const kept = others.sort(([, a], [, b]) => b.usedAt - a.usedAt).slice(0, MAX_NOTEBOOKS - 1);
    this.#notebooks = {
      [realPath]: { kernel: after.kernel, trustedOutputs: after.trustedOutputs, usedAt: now },
      ...Object.fromEntries(kept),
    };
    await this.#file.write({ notebooks: this.#notebooks });
  }

  async settled(): Promise<void> {
    await this.#file.settled();
  }

  /** At the app's end: what is changed from now on is not written any more. */
  async end(): Promise<void> {
    await this.#file.end();
  }
}
