/**
 * The host's side of agents' output: gives every message of a run to the recorder of its cell, and tells main at a bounded pace what the cell
 * shows. It only listens: when a run is over is decided elsewhere, and main asks for the end when it has heard of it.
 */

import { descriptorUse } from '../../kernels/direct/descriptors.ts';
import type { KernelService } from '../../kernels/host/kernel-service.ts';
import type { RpcEndpoint } from '../../kernels/host/rpc.ts';
import type { JupyterMessage } from '../../kernels/messages.ts';
import type { Log } from '../../log/log.ts';
import { CellRecorder, type DisplayPlaces } from './cell-recorder.ts';
import { type AgentOutputCalls, type AgentOutputEvents, type CellOutput, PACE_MS } from './output-protocol.ts';
import { shares } from './shares.ts';

export class AgentOutputService {
  readonly #endpoint: RpcEndpoint;
  readonly #log: Log;
  readonly #cells = new Map<string, CellRecorder>();
  readonly #byRun = new Map<string, { cellId: string; recorder: CellRecorder }>();
  /** By kernel: display_ids are the kernel's own. */
  readonly #places = new Map<string, DisplayPlaces>();
  readonly #changed = new Set<string>();
  #telling: NodeJS.Timeout | null = null;

  constructor(endpoint: RpcEndpoint, kernels: KernelService, log: Log) {
    this.#endpoint = endpoint;
    this.#log = log;
    kernels.onConnection((connection) => connection.onMessage((message) => this.#receive(message)));
    kernels.onDisconnection((kernelId, _connection, reason) => {
      if (reason === 'shutdown') this.#places.delete(kernelId);
    });
    const handle = <M extends keyof AgentOutputCalls>(
      method: M,
      handler: (params: AgentOutputCalls[M]['params']) => AgentOutputCalls[M]['result'] | Promise<AgentOutputCalls[M]['result']>,
    ) => endpoint.handle(method, handler);
    handle('agent.begin', (params) => this.#begin(params));
    handle('agent.end', ({ cellIds, maxBytes }) => this.#end(cellIds, maxBytes));
    handle('agent.descriptors', () => descriptorUse());
  }

  #begin({ cellId, kernelId, runId, artifactFolder, note }: AgentOutputCalls['agent.begin']['params']): null {
    let recorder = this.#cells.get(cellId);
    if (!recorder) {
      const places = this.#places.get(kernelId) ?? new Map();
      this.#places.set(kernelId, places);
      recorder = new CellRecorder({ cellId, runId, artifactFolder, places, log: this.#log, onChange: () => this.#tellSoon(cellId) });
      this.#cells.set(cellId, recorder);
    }
    if (note !== null) recorder.note(note);
    this.#byRun.set(runId, { cellId, recorder });
    this.#tellSoon(cellId);
    return null;
  }

  async #end(cellIds: string[], maxBytes: number): Promise<(CellOutput | null)[]> {
    const recorders = cellIds.map((cellId) => this.#cells.get(cellId));
    for (const cellId of cellIds) {
      this.#cells.delete(cellId);
      this.#changed.delete(cellId);
    }
    for (const [runId, { cellId }] of this.#byRun) if (cellIds.includes(cellId)) this.#byRun.delete(runId);
    const limits = shares(
      recorders.map((recorder) => recorder?.bytes ?? 0),
      maxBytes,
    );
    return Promise.all(recorders.map((recorder, index) => recorder?.end(limits[index]!) ?? null));
  }

  #receive(message: JupyterMessage): void {
    const parent = message.parent_header.msg_id;
    if (parent !== undefined) this.#byRun.get(parent)?.recorder.take(message);
  }

  #tellSoon(cellId: string): void {
    this.#changed.add(cellId);
    this.#telling ??= setTimeout(() => this.#tell(), PACE_MS);
  }

  #tell(): void {
    this.#telling = null;
    for (const cellId of this.#changed) {
      const output = this.#cells.get(cellId)?.now();
      if (output) this.#endpoint.emit('agent.output', { cellId, output } satisfies AgentOutputEvents['agent.output']);
    }
    this.#changed.clear();
  }
}
