/**
 * Output changes: how the outputs of one cell grow, as small splices instead of whole copies.
 * The kernel host emits them, the document in main applies them, and each window applies the same ones to its view, so
 * `applyOutputChange` is the one place that says what a change means. Indices are only valid in order: never drop or reorder changes.
 */

/** Left-out middle of a stream that outgrew its limit; the whole text is in the artifact. */
export interface Omitted {
  /** Line feeds in the part left out. */
  lines: number;
  /** UTF-8 bytes in the part left out. */
  bytes: number;
  /** UTF-16 offset in `text` where the part was taken out. */
  at: number;
  /** Artifact id that holds the whole stream, or null when it could not be written. */
  artifactId: string | null;
  /** Why there is no complete artifact, in a few words (e.g. `ENOSPC: no space left on device`). */
  failure?: string;
}

/** `stdin`: what code asked a person and was answered, as JupyterLab records it. */
export type StreamName = 'stdout' | 'stderr' | 'stdin';

/** Anything else counts as `stdout`. */
export function streamName(name: unknown): StreamName {
  return name === 'stderr' || name === 'stdin' ? name : 'stdout';
}

export interface StreamOutput {
  type: 'stream';
  name: StreamName;
  /** After carriage returns, backspaces and cursor movement were applied; colours (SGR) and safe links are kept. */
  text: string;
  omitted?: Omitted;
}

/** A MIME bundle. `Payload` is raw JSON in main and a `WindowPayload` in a window. */
export interface DataOutput<Payload> {
  type: 'display_data' | 'execute_result';
  data: Record<string, Payload>;
  metadata: Record<string, unknown>;
  /** Only for execute_result. */
  executionCount: number | null;
  /** `transient.display_id`: lives as long as the kernel and is never written to the file. */
  displayId?: string;
  /** JSON payloads as text, by type, where a number in them is larger than a JavaScript number holds. Only in main. */
  exact?: Readonly<Record<string, string>>;
}

export interface ErrorOutput {
  type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}

export type Output<Payload> = StreamOutput | DataOutput<Payload> | ErrorOutput;

export type OutputChange<Payload> =
  /** Adds one output at the end. */
  | { op: 'append'; output: Output<Payload> }
  /** Splices the text of stream output `index`: `remove` UTF-16 units at `at` give way to `insert`. */
  | { op: 'text'; index: number; at: number; remove: number; insert: string; omitted?: Omitted }
  /** Puts another output in the place of output `index` (update_display_data). */
  | { op: 'replace'; index: number; output: Output<Payload> }
  /** Removes all outputs. */
  | { op: 'clear' };

/**
 * The outputs after one change. Returns a new array; outputs that the change does not touch keep their identity.
 * Throws RangeError when the change does not fit, which means that changes were lost or reordered.
 */
export function applyOutputChange<Payload>(outputs: readonly Output<Payload>[], change: OutputChange<Payload>): Output<Payload>[] {
  switch (change.op) {
    case 'append':
      return [...outputs, change.output];
    case 'clear':
      return [];
    case 'replace': {
      if (change.index >= outputs.length) throw new RangeError(`no output ${change.index} to replace (there are ${outputs.length})`);
      return outputs.map((output, index) => (index === change.index ? change.output : output));
    }
    case 'text': {
      const target = outputs[change.index];
      if (target?.type !== 'stream') throw new RangeError(`output ${change.index} is not a stream (there are ${outputs.length} outputs)`);
      if (change.at + change.remove > target.text.length) throw new RangeError(`text change past the end of output ${change.index}`);
      const text = target.text.slice(0, change.at) + change.insert + target.text.slice(change.at + change.remove);
      const omitted = change.omitted ?? target.omitted;
      const next: StreamOutput = omitted ? { ...target, text, omitted } : { ...target, text };
      return outputs.map((output, index) => (index === change.index ? next : output));
    }
  }
}
