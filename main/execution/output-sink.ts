/**
 * The text of one agent run in bounded memory: the last bytes are kept, everything is counted, and when it outgrows the memory the whole goes to an
 * artifact, first byte included (SPEC section 5, OutputSink). The hard part is that the kept end must begin at a character, whatever chunks
 * it came in, and that a disk that fails only costs the artifact.
 */
import { SpillFile } from './spill-file.ts';
import { isHighSurrogate } from './surrogates.ts';

/** Bytes of UTF-8 kept in memory. Agents read this much as a whole; more only fills their context. */
export const DEFAULT_MAX_BYTES = 51_200;

export interface OutputDump {
  /** The end of the text, at most `maxBytes` of it. */
  output: string;
  truncated: boolean;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** Holds the whole text; null when it was not needed or could not be written. */
  artifactId: string | null;
  /** Why there is no complete artifact although it was needed. */
  failure: string | null;
}

export interface OutputSinkOptions {
  maxBytes?: number;
  /** Makes the artifact when it is needed. Without it nothing is spilled. Throws the file system's error. */
  artifact?: () => { id: string; file: string };
}

interface Piece {
  text: string;
  bytes: number;
}

/** Small chunks are joined up to this many UTF-16 units, so that a flood of them makes no list of a million. */
const PIECE_UNITS = 4096;

export class OutputSink {
  readonly #maxBytes: number;
  readonly #artifact: OutputSinkOptions['artifact'];
  #pieces: Piece[] = [];
  #keptBytes = 0;
  #totalBytes = 0;
  #lineFeeds = 0;
  #endsInLineFeed = true;
  /** The first half of a surrogate pair whose second half is still to come. */
  #half = '';
  #spill: SpillFile | null = null;
  #artifactId: string | null = null;
  #failure: string | null = null;

  constructor({ maxBytes = DEFAULT_MAX_BYTES, artifact }: OutputSinkOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#artifact = artifact;
  }

  /** Takes sanitized text. */
  push(chunk: string): void {
    const whole = this.#half + chunk;
    const cut = whole.length > 0 && isHighSurrogate(whole, whole.length - 1) ? whole.length - 1 : whole.length;
    this.#half = whole.slice(cut);
    const text = cut === whole.length ? whole : whole.slice(0, cut);
    if (text === '') return;
    const bytes = Buffer.byteLength(text);
    this.#totalBytes += bytes;
    this.#lineFeeds += lineFeedsIn(text);
    this.#endsInLineFeed = text.endsWith('\n');
    if (this.#totalBytes > this.#maxBytes) this.#toArtifact(text);
    this.#keep(text, bytes);
  }

  /** Goes on with a text that another process had, of which `output` until `end` is taken. To be called first. */
  restore(earlier: OutputDump, end: number): void {
    const { output, totalBytes, totalLines, failure } = interrupted(earlier);
    const rest = output.slice(end);
    this.#pieces = end === 0 ? [] : [{ text: output.slice(0, end), bytes: earlier.outputBytes - Buffer.byteLength(rest) }];
    this.#keptBytes = this.#pieces[0]?.bytes ?? 0;
    this.#totalBytes = totalBytes - Buffer.byteLength(rest);
    this.#lineFeeds = totalLines - (rest === '' ? 0 : 1);
    this.#failure = failure;
  }

  /** What is known now. Resolves when the artifact is on its way no more; the sink can go on after it. */
  async dump(): Promise<OutputDump> {
    await this.#spill?.settled();
    return this.peek();
  }

  /** What would be known if `rest` came and nothing after it; the artifact may still be on its way. */
  peek(rest = ''): OutputDump {
    const output = lastBytes(this.#pieces.map(({ text }) => text).join('') + rest, this.#maxBytes);
    const outputBytes = Buffer.byteLength(output);
    const totalBytes = this.#totalBytes + Buffer.byteLength(rest);
    const endsInLineFeed = rest === '' ? this.#endsInLineFeed : rest.endsWith('\n');
    return {
      output,
      truncated: totalBytes > outputBytes,
      totalLines: this.#lineFeeds + lineFeedsIn(rest) + (endsInLineFeed ? 0 : 1),
      totalBytes,
      outputLines: linesOf(output),
      outputBytes,
      artifactId: this.#failure === null ? this.#artifactId : null,
      failure: this.#failure,
    };
  }

  /** No more text will come; gives the artifact's descriptor back. */
  end(): void {
    this.#spill?.end();
  }

  #toArtifact(text: string): void {
    if (!this.#artifact || this.#failure !== null) return;
    if (!this.#spill) {
      try {
        const { id, file } = this.#artifact();
        this.#spill = new SpillFile(file, (error) => this.#failed(error));
        this.#artifactId = id;
      } catch (error) {
        this.#failed(error);
        return;
      }
      for (const piece of this.#pieces) this.#spill.append(piece.text);
    }
    this.#spill.append(text);
  }

  #failed(error: unknown): void {
    this.#failure = error instanceof Error ? error.message : String(error);
  }

  #keep(text: string, bytes: number): void {
    if (bytes >= this.#maxBytes) {
      const kept = lastBytes(text, this.#maxBytes);
      this.#pieces = [{ text: kept, bytes: Buffer.byteLength(kept) }];
      this.#keptBytes = this.#pieces[0]!.bytes;
      return;
    }
    const last = this.#pieces[this.#pieces.length - 1];
    if (last && last.text.length + text.length <= PIECE_UNITS) {
      last.text += text;
      last.bytes += bytes;
    } else this.#pieces.push({ text, bytes });
    this.#keptBytes += bytes;
    // Whole pieces only: the exact cut is made when somebody looks.
    let whole = 0;
    for (const piece of this.#pieces) {
      if (this.#keptBytes - piece.bytes < this.#maxBytes) break;
      this.#keptBytes -= piece.bytes;
      whole += 1;
    }
    if (whole > 0) this.#pieces.splice(0, whole);
  }
}

/** The text of a process that died while it wrote the whole to an artifact: nobody knows how much of it is there. */
export function interrupted(dump: OutputDump): OutputDump {
  const { truncated, artifactId, failure } = dump;
  if (!truncated || artifactId === null) return dump;
  const why = `the process that wrote it ended; its beginning is in artifact://${artifactId}`;
  return { ...dump, artifactId: null, failure: failure ?? why };
}

/** One line for whoever reads a truncated output: which part it is, how long the whole is and where it lies. Null for a complete one. */
export function truncationNotice(dump: OutputDump): string | null {
  if (!dump.truncated) return null;
  const { totalLines, outputLines, totalBytes, outputBytes, artifactId, failure } = dump;
  const first = totalLines - outputLines + 1;
  const lines = outputLines === 1 ? `the end of line ${totalLines}` : `lines ${first}-${totalLines}`;
  const shown = `Output truncated: showing ${lines} of ${totalLines} (${outputBytes} of ${totalBytes} bytes).`;
  if (artifactId !== null) return `[${shown} Full output: artifact://${artifactId}]`;
  return `[${shown} The full output could not be kept${failure === null ? '' : `: ${failure}`}.]`;
}

/** The longest end of the text that takes at most `bytes` bytes and begins at a character. */
function lastBytes(text: string, bytes: number): string {
  // No character takes fewer bytes than UTF-16 units, so more units than this never fit.
  const end = text.length > bytes ? text.slice(text.length - bytes) : text;
  const encoded = Buffer.from(end, 'utf8');
  let from = Math.max(0, encoded.length - bytes);
  while (from < encoded.length && (encoded[from]! & 0xc0) === 0x80) from += 1;
  return encoded.toString('utf8', from);
}

function linesOf(text: string): number {
  return lineFeedsIn(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
}

function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
