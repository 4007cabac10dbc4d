/**
 * The text of one agent cell, in order: streams as a terminal shows them, displays, tracebacks. It goes into a sink as soon as it can't change any
 * more. The hard part is displays that are updated in place: what comes after one is held back, up to a limit, so that the place is
 * still there; past the limit an update is told as new text, since nothing may be lost.
 */
import { type OutputDump, OutputSink } from '../output-sink.ts';
import { PlainStream } from '../plain-stream.ts';
import { detached } from '../terminal.ts';

/** UTF-16 units that are held back behind a display that may be updated. */
const HELD_LIMIT = 64 * 1024;
/** What a piece weighs beside its text: thousands of empty ones are not to be held either. */
const PIECE_WEIGHT = 64;
/** A message is read in slices of this many units, so that a huge one needs no second copy of its size. */
const SLICE_UNITS = 1024 * 1024;
/** Text of a message larger than this is copied, so that the message itself can go. */
const DETACH_UNITS = 32 * 1024;

export interface CellTextOptions {
  maxBytes?: number;
  /** Where text that outgrows `maxBytes` goes; called again after the text was cleared, when the file is gone. Throws the file system's error. */
  artifact?: () => { id: string; file: string };
}

/** Text that begins and ends on a line of its own and can be replaced while it is held. */
export interface TextBlock {
  text: string;
  updatable: boolean;
  held: boolean;
}

/** Text whose stream has ended or been passed by other output. */
interface Passed {
  text: string;
}

type Piece = TextBlock | Passed;

export class CellText {
  readonly #options: CellTextOptions;
  #sink: OutputSink;
  #held: Piece[] = [];
  #heldUnits = 0;
  /** The stream that was written last: only it can still change. */
  #open: { name: string; stream: PlainStream; passed: Passed } | null = null;
  #atLineStart = true;

  constructor(options: CellTextOptions = {}) {
    this.#options = options;
    this.#sink = this.#newSink();
  }

  stream(name: string, text: string): void {
    if (this.#open?.name !== name) {
      this.#close();
      const passed = { text: '' };
      this.#hold(passed);
      this.#open = { name, stream: new PlainStream(), passed };
    }
    const { stream, passed } = this.#open!;
    const isLarge = text.length > DETACH_UNITS;
    for (let from = 0; from < text.length; from += SLICE_UNITS) {
      const slice = from === 0 && text.length <= SLICE_UNITS ? text : text.slice(from, from + SLICE_UNITS);
      const settled = stream.write(slice);
      passed.text += isLarge ? detached(settled) : settled;
      this.#heldUnits += settled.length;
      this.#release();
    }
    if (isLarge) stream.detach();
  }

  /** `updatable` when it has a display_id. */
  block(text: string, updatable: boolean): TextBlock {
    this.#close();
    const block: TextBlock = { text, updatable, held: true };
    this.#hold(block);
    this.#release();
    return block;
  }

  /** Goes on with the text that another host had. To be called first. */
  restore(earlier: OutputDump): void {
    // The last line may still be written on, as a terminal would.
    const from = earlier.output.lastIndexOf('\n') + 1;
    this.#sink.restore(earlier, from);
    if (from < earlier.output.length) this.stream('stdout', earlier.output.slice(from));
  }

  /** Puts other text in the block's place. False when it has left: then the text makes a new block. */
  replace(block: TextBlock, text: string): boolean {
    if (!block.held) return false;
    this.#heldUnits += text.length - block.text.length;
    block.text = text;
    this.#release();
    return true;
  }

  clear(): void {
    this.#sink.end();
    this.#sink = this.#newSink();
    for (const piece of this.#held) if ('held' in piece) piece.held = false;
    this.#held = [];
    this.#heldUnits = 0;
    this.#open = null;
    this.#atLineStart = true;
  }

  /** The text so far. */
  now(): OutputDump {
    return this.#sink.peek(this.#rest());
  }

  /** Bytes that would be shown if there were no smaller limit. */
  get bytes(): number {
    return this.now().outputBytes;
  }

  /** The whole text, of which at most `maxBytes` are shown. Nothing may come after it. */
  async end(maxBytes: number): Promise<OutputDump> {
    this.#sink.push(this.#rest());
    this.#held = [];
    const dump = await this.#sink.dump();
    this.#sink.end();
    if (dump.outputBytes <= maxBytes) return dump;
    // The artifact is there already when the text was too long for the sink.
    const smaller = new OutputSink({ maxBytes, ...(dump.truncated ? {} : { artifact: this.#options.artifact }) });
    smaller.push(dump.output);
    const { artifactId, failure, ...cut } = await smaller.dump();
    smaller.end();
    const { totalLines, totalBytes } = dump;
    const kept = dump.truncated ? { artifactId: dump.artifactId, failure: dump.failure } : { artifactId, failure };
    return { ...cut, ...kept, totalLines, totalBytes };
  }

  #newSink(): OutputSink {
    const { maxBytes, artifact } = this.#options;
    return new OutputSink({ ...(maxBytes === undefined ? {} : { maxBytes }), ...(artifact ? { artifact } : {}) });
  }

  #close(): void {
    if (!this.#open) return;
    const rest = this.#open.stream.rest();
    this.#open.passed.text += rest;
    this.#heldUnits += rest.length;
    this.#open = null;
  }

  #hold(piece: Piece): void {
    this.#held.push(piece);
    this.#heldUnits += piece.text.length + PIECE_WEIGHT;
  }

  /** Gives to the sink what can't change any more. */
  #release(): void {
    let pieces = 0;
    for (const piece of this.#held) {
      if ('updatable' in piece && piece.updatable && this.#heldUnits <= HELD_LIMIT) break;
      this.#push(piece);
      if (piece === this.#open?.passed) {
        this.#heldUnits -= piece.text.length;
        piece.text = '';
        break;
      }
      this.#heldUnits -= piece.text.length + PIECE_WEIGHT;
      // Whoever may update it keeps the block: it is not to keep the text as well.
      if ('held' in piece) Object.assign(piece, { held: false, text: '' });
      pieces += 1;
    }
    if (pieces > 0) this.#held.splice(0, pieces);
  }

  #push(piece: Piece): void {
    const text = shown(piece, this.#atLineStart);
    if (text === '') return;
    this.#sink.push(text);
    this.#atLineStart = text.endsWith('\n');
  }

  /** What the sink doesn't have. */
  #rest(): string {
    let atLineStart = this.#atLineStart;
    let rest = '';
    for (const piece of this.#held) {
      const text = shown(piece, atLineStart) + (piece === this.#open?.passed ? this.#open.stream.rest() : '');
      rest += text;
      if (text !== '') atLineStart = text.endsWith('\n');
    }
    return rest;
  }
}

function shown(piece: Piece, atLineStart: boolean): string {
  if (!('held' in piece) || piece.text === '') return piece.text;
  return `${atLineStart ? '' : '\n'}${piece.text}${piece.text.endsWith('\n') ? '' : '\n'}`;
}
