/**
 * The outputs of one cell as the kernel host knows them: how many there are, the streams that can still grow, and what main hasn't been told.
 * Data that was told is not kept. The hard part is that everything is told by index, so what is still untold is merged in place and a
 * clear forgets it all.
 */
import type { Omitted, Output, StreamName } from '../../preload/output-change.ts';
import type { RawOutputChange, RawPayload } from './run-protocol.ts';
import { StreamText } from './stream-text.ts';
import { WINDOW_LIMITS, type WindowLimits } from './stream-window.ts';

/** Something for the outside to do; `spill` numbers the streams of one kernel. */
export type SpillEffect =
  /** Text of a stream that goes to its artifact; the first one holds everything so far. */
  { spill: number; area: OutputArea; name: StreamName; text: string } | { spill: number; ended: true };

/** What became of a stream's artifact. */
export interface SpillState {
  artifactId: string | null;
  failure?: string;
}

interface Slot {
  index: number;
  name: StreamName;
  text: StreamText;
  /** The stream as it came, until its artifact takes it. */
  raw: string | null;
  spill: number | null;
  told: boolean;
  /** The artifact's state changed since it was told. */
  spillChanged: boolean;
}

type Untold =
  | { op: 'append'; output: Output<RawPayload> }
  | { op: 'append-stream'; slot: Slot }
  | { op: 'replace'; index: number; output: Output<RawPayload> }
  | { op: 'clear' };

/** A stream that came in more than this many UTF-16 units goes to an artifact, as its window may drop the middle. */
const RAW_LIMIT = 1024 * 1024;
/** After so many stream outputs in one cell, text joins the last one of its name: alternating streams must not make a list without end. */
const STREAM_OUTPUTS_LIMIT = 1_000;
/** When a cell's streams weigh more than this, in UTF-16 units, further ones keep less. */
const AREA_LIMIT = 8 * 1024 * 1024;
/** Longer text of a new output is told as a change of its own, which can be cut into several messages. */
const LONG_TEXT = 256 * 1024;
const SMALL_WINDOW: WindowLimits = { head: 16 * 1024, tail: 32 * 1024, step: 16 * 1024 };

export class OutputArea {
  readonly areaId: string;
  readonly runId: string;
  /** Where streams and payloads that outgrow the limits go; null keeps only what the window keeps. */
  readonly folder: string | null;
  /** display_ids shown here, for whoever keeps the registry. */
  readonly displayIds = new Set<string>();
  readonly #nextSpill: () => number;
  #count = 0;
  #told = 0;
  #streamOutputs = 0;
  #supersededWeight = 0;
  #last: Slot | null = null;
  readonly #streams = new Map<StreamName, Slot>();
  #clearNext = false;
  #untold: Untold[] = [];
  readonly #untoldByIndex = new Map<number, Untold & { output: Output<RawPayload> }>();
  readonly #dirty = new Set<Slot>();

  constructor(areaId: string, runId: string, folder: string | null, nextSpill: () => number) {
    this.areaId = areaId;
    this.runId = runId;
    this.folder = folder;
    this.#nextSpill = nextSpill;
  }

  /** Its outputs so far were made elsewhere, and main knows of them: only what comes now is told, after them. */
  goOnAfter(count: number): void {
    this.#count = count;
    this.#told = count;
  }

  get changed(): boolean {
    return this.#untold.length > 0 || this.#dirty.size > 0;
  }

  /** UTF-16 units kept in memory for streams that may still grow, about. */
  get weight(): number {
    let weight = 0;
    for (const slot of this.#streams.values()) weight += slot.text.weight + (slot.raw?.length ?? 0);
    return weight;
  }

  stream(name: StreamName, text: string): SpillEffect[] {
    if (text === '') return [];
    const effects = this.#beforeOutput();
    const slot = this.#slotFor(name, effects);
    slot.text.write(text);
    if (slot.told) this.#dirty.add(slot);
    this.#spill(slot, text, effects);
    return effects;
  }

  /** Adds an output; `index` is where it is now. */
  append(output: Output<RawPayload>): { index: number; effects: SpillEffect[] } {
    const effects = this.#beforeOutput();
    const index = this.#count++;
    this.#last = null;
    const untold = { op: 'append', output } as const;
    this.#untold.push(untold);
    this.#untoldByIndex.set(index, untold);
    return { index, effects };
  }

  replace(index: number, output: Output<RawPayload>): void {
    const untold = this.#untoldByIndex.get(index);
    if (untold) {
      untold.output = output;
      return;
    }
    const replacement = { op: 'replace', index, output } as const;
    this.#untold.push(replacement);
    this.#untoldByIndex.set(index, replacement);
  }

  /** clear_output; with `wait` at the next output of any kind. */
  clear(wait: boolean): SpillEffect[] {
    this.#clearNext = wait;
    return wait ? [] : this.#clearNow();
  }

  /** True when the next output clears first: whoever keeps the registry must forget this area's display_ids with it. */
  get clearsNext(): boolean {
    return this.#clearNext;
  }

  /** The streams here grow no more: their memory is given back, and later text makes an output of its own. */
  settle(): SpillEffect[] {
    const effects = [...this.#streams.values()].flatMap((slot) => this.#endOf(slot));
    this.#streams.clear();
    this.#last = null;
    return effects;
  }

  /** The artifact of stream `spill` has got its id or has failed. */
  spillChanged(spill: number): void {
    for (const slot of this.#streams.values()) {
      if (slot.spill !== spill) continue;
      slot.spillChanged = true;
      if (slot.told) this.#dirty.add(slot);
    }
  }

  /** What main doesn't know yet, in order. */
  take(stateOf: (spill: number) => SpillState): RawOutputChange[] {
    const changes = this.#untold.flatMap((untold) => (untold.op === 'append-stream' ? this.#takeNew(untold.slot, stateOf) : untold));
    this.#untold = [];
    this.#untoldByIndex.clear();
    this.#told = this.#count;
    for (const slot of this.#dirty) changes.push(...textChanges(slot, stateOf));
    this.#dirty.clear();
    return changes;
  }

  #takeNew(slot: Slot, stateOf: (spill: number) => SpillState): RawOutputChange[] {
    slot.told = true;
    slot.spillChanged = false;
    this.#dirty.delete(slot);
    const { index, name } = slot;
    const text = slot.text.takeAll();
    const leftOut = omittedOf(slot, stateOf);
    const omitted = leftOut ? { omitted: leftOut } : {};
    if (text.length <= LONG_TEXT) return [{ op: 'append', output: { type: 'stream', name, text, ...omitted } }];
    return [
      { op: 'append', output: { type: 'stream', name, text: '' } },
      { op: 'text', index, at: 0, remove: 0, insert: text, ...omitted },
    ];
  }

  #beforeOutput(): SpillEffect[] {
    return this.#clearNext ? this.#clearNow() : [];
  }

  #clearNow(): SpillEffect[] {
    const effects = this.settle();
    this.#clearNext = false;
    this.#count = 0;
    this.#streamOutputs = 0;
    this.#supersededWeight = 0;
    this.displayIds.clear();
    this.#untold = this.#told > 0 ? [{ op: 'clear' }] : [];
    this.#untoldByIndex.clear();
    this.#dirty.clear();
    return effects;
  }

  #slotFor(name: StreamName, effects: SpillEffect[]): Slot {
    if (this.#last?.name === name) return this.#last;
    const before = this.#streams.get(name);
    if (before && this.#streamOutputs >= STREAM_OUTPUTS_LIMIT) return before;
    if (before) {
      this.#supersededWeight += before.text.weight;
      effects.push(...this.#endOf(before));
    }
    const text = new StreamText(this.#supersededWeight > AREA_LIMIT ? SMALL_WINDOW : WINDOW_LIMITS);
    const slot: Slot = { index: this.#count++, name, text, raw: '', spill: null, told: false, spillChanged: false };
    this.#streamOutputs += 1;
    this.#streams.set(name, slot);
    this.#last = slot;
    this.#untold.push({ op: 'append-stream', slot });
    return slot;
  }

  #spill(slot: Slot, text: string, effects: SpillEffect[]): void {
    if (this.folder === null) return;
    const { name } = slot;
    if (slot.raw === null) {
      effects.push({ spill: slot.spill!, area: this, name, text });
      return;
    }
    slot.raw += text;
    if (slot.raw.length <= RAW_LIMIT && slot.text.leftOut === null) return;
    slot.spill = this.#nextSpill();
    effects.push({ spill: slot.spill, area: this, name, text: slot.raw });
    slot.raw = null;
  }

  #endOf(slot: Slot): SpillEffect[] {
    return slot.spill === null ? [] : [{ spill: slot.spill, ended: true }];
  }
}

function omittedOf(slot: Slot, stateOf: (spill: number) => SpillState): Omitted | undefined {
  const { leftOut } = slot.text;
  if (!leftOut) return undefined;
  return { ...leftOut, ...(slot.spill === null ? { artifactId: null } : stateOf(slot.spill)) };
}

function textChanges(slot: Slot, stateOf: (spill: number) => SpillState): RawOutputChange[] {
  const omitted = omittedOf(slot, stateOf);
  const splices = slot.text.take();
  if (splices.length === 0 && slot.spillChanged && omitted) splices.push({ at: 0, remove: 0, insert: '' });
  slot.spillChanged = false;
  return splices.map((splice) => ({ op: 'text', index: slot.index, ...splice, ...(omitted ? { omitted } : {}) }));
}
