/**
 * What of a kernel's output goes to the disk: streams that outgrow their window and payloads too large to travel. A disk that fails never stops
 * the output: a stream says so where its middle is left out, a payload travels as it is.
 */

import { writeFileSync } from 'node:fs';
import { reserveSync } from '../artifacts/artifact-file.ts';
import { errorFields, type Log } from '../log/log.ts';
import { record } from './message-content.ts';
import type { OutputArea, SpillEffect, SpillState } from './output-area.ts';
import { encodeLarge, extensionFor, harmless } from './payloads.ts';
import type { RawPayload, SpilledPayload } from './run-protocol.ts';
import { SpillFile } from './spill-file.ts';

interface Spill extends SpillState {
  file: SpillFile | null;
}

export class Spills {
  readonly #log: Log;
  readonly #onChange: (spill: number) => void;
  readonly #spills = new Map<number, Spill>();

  /** `onChange` is told when a stream's file fails after it was begun. */
  constructor(log: Log, onChange: (spill: number) => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  stateOf(spill: number): SpillState {
    const { artifactId = null, failure } = this.#spills.get(spill) ?? {};
    return failure === undefined ? { artifactId } : { artifactId: null, failure };
  }

  apply(effects: readonly SpillEffect[]): void {
    for (const effect of effects) {
      if ('ended' in effect) this.#spills.get(effect.spill)?.file?.end();
      else (this.#spills.get(effect.spill) ?? this.#begin(effect)).file?.append(effect.text);
    }
  }

  /**
   * A message's content with the large payloads of its MIME bundles (also those of a reply's pages) in artifacts. Without an area (an update
   * from nowhere) they stay.
   */
  spillContent(content: Record<string, unknown>, area: OutputArea | null): Record<string, unknown> {
    const { data, payload } = content;
    if (Array.isArray(payload)) return { ...content, payload: payload.map((page) => this.spillContent(record(page), area)) };
    return data === undefined ? content : { ...content, data: this.#spillLarge(record(data), area) };
  }

  #spillLarge(data: Record<string, RawPayload>, area: OutputArea | null): Record<string, RawPayload> {
    let result = data;
    for (const [mime, payload] of Object.entries(data)) {
      const spilled = (area && this.#spillPayload(mime, payload, area)) ?? harmless(payload);
      if (spilled !== payload) result = { ...result, [mime]: spilled };
    }
    return result;
  }

  /** Ends every file; resolves when all is on the disk. */
  async close(): Promise<void> {
    const files = [...this.#spills.values()].flatMap(({ file }) => file ?? []);
    for (const file of files) file.end();
    await Promise.all(files.map((file) => file.settled()));
  }

  #begin({ spill, area, name }: Extract<SpillEffect, { text: string }>): Spill {
    const state: Spill = { artifactId: null, file: null };
    this.#spills.set(spill, state);
    try {
      const source = { areaId: area.areaId, runId: area.runId, name };
      const { id, file } = reserveSync(area.folder!, 'txt', { kind: 'stream', mime: 'text/plain', createdAt: Date.now(), source });
      state.file = new SpillFile(file, (error) => this.#failed(spill, state, error));
      state.artifactId = id;
    } catch (error) {
      this.#failed(spill, state, error);
    }
    return state;
  }

  #failed(spill: number, state: Spill, error: unknown): void {
    this.#log.warn('artifact.stream-failed', errorFields(error));
    state.failure = reason(error);
    this.#onChange(spill);
  }

  #spillPayload(mime: string, payload: RawPayload, area: OutputArea): SpilledPayload | null {
    const { areaId, runId, folder } = area;
    const encoded = folder === null ? null : encodeLarge(mime, payload);
    if (folder === null || !encoded) return null;
    try {
      const { id, file } = reserveSync(folder, extensionFor(mime), {
        kind: 'payload',
        mime,
        createdAt: Date.now(),
        source: { areaId, runId },
      });
      // Synchronous: whoever hears of the payload may read it at once.
      writeFileSync(file, encoded.bytes, { flag: 'wx', mode: 0o600 });
      return { $artifact: id, file, bytes: encoded.bytes.length, encoding: encoded.encoding };
    } catch (error) {
      this.#log.warn('artifact.payload-failed', { mime, ...errorFields(error) });
      return null;
    }
  }
}

/** The cause in a few words: `ENOSPC: no space left on device`. The path behind the comma helps nobody in an output. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(',')[0]!.slice(0, 200);
}
