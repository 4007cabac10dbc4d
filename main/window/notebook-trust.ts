/**
 * Whether the scripts of a notebook's outputs may run, kept over starts. Trust belongs to outputs and not to a file: it is remembered with a
 * digest of what was trusted, and void for whatever somebody else put there, while the notebook is open too.
 */
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { NotebookFile } from '../documents/notebook-file.ts';
import { outputsDigest } from '../documents/output-digest.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { NotebookMemory } from '../settings/notebook-memory.ts';

/** From a save to the digest of what it wrote, which reads all outputs: a row of saves needs one. */
const KEEP_MS = 1_000;

/** What a digest was remembered of. */
interface Kept {
  realPath: string;
  file: NotebookFile;
  widgetsFile: NotebookFile;
}

export class NotebookTrust {
  readonly #document: NotebookDocument;
  readonly #memory: NotebookMemory;
  readonly #log: Log;
  /** Outputs of others that came in while the notebook was open. */
  #intrusions = 0;
  #kept: Kept | null = null;
  #soon: NodeJS.Timeout | null = null;

  constructor(document: NotebookDocument, memory: NotebookMemory, log: Log) {
    this.#document = document;
    this.#memory = memory;
    this.#log = log;
    document.on('state', () => {
      this.#soon ??= setTimeout(() => void this.keep(), KEEP_MS).unref();
    });
    document.on('outside', ({ outputs }) => {
      if (outputs.length === 0) return;
      this.#intrusions += 1;
      document.trusted = false;
    });
  }

  /** Trusts the file's outputs when they are those that were trusted before. */
  async recall(): Promise<void> {
    const { realPath, file, trusted } = this.#document;
    const known = realPath === null ? null : this.#memory.of(realPath).trustedOutputs;
    if (trusted || known === null) return;
    if ((await outputsDigest(file)) === known && this.#document.file === file) this.#document.trusted = true;
  }

  /** The person trusts what the file has. */
  async grant(): Promise<void> {
    this.#document.trusted = true;
    await this.#remember();
  }

  /** Remembers what the file has when it is trusted; with unsaved changes that says nothing about the file. */
  async keep(): Promise<void> {
    if (this.#soon) clearTimeout(this.#soon);
    this.#soon = null;
    if (this.#document.trusted && !this.#document.dirty) await this.#remember();
  }

  async #remember(): Promise<void> {
    const { realPath, file, widgetsFile, outside } = this.#document;
    // In a conflict the file keeps a cell of somebody else, which is not what the person sees here.
    if (realPath === null || outside.keptInFile().size > 0) return;
    const kept = this.#kept;
    if (kept?.realPath === realPath && kept.file === file && kept.widgetsFile === widgetsFile) return;
    const intrusions = this.#intrusions;
    const trustedOutputs = await outputsDigest(file, widgetsFile);
    // What was taken in from the disk is told of a moment after it is the file.
    if (intrusions !== this.#intrusions) return;
    try {
      await this.#memory.remember(realPath, { trustedOutputs });
      this.#kept = { realPath, file, widgetsFile };
    } catch (error) {
      this.#log.warn('memory.write-failed', errorFields(error));
    }
  }
}
