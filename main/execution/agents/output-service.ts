/**
 * The host's side of agents' output: gives every message of a run to the recorder of its cell, and tells main at a bounded pace what the cell
 * shows. It only listens: when a run is over is decided elsewhere, and main asks for the end when it has heard of it. What main was told is also what
 * another host goes on with when this one dies.
 */
import type { KernelService } from '../../kernels/host/kernel-service.ts';
import type { RpcEndpoint } from '../../kernels/host/rpc.ts';
import type { JupyterMessage } from '../../kernels/messages.ts';
import type { Log } from '../../log/log.ts';
import { MISSED, type UntoldOutputs } from '../untold-outputs.ts';
import type { ToldDisplay } from './cell-data.ts';
import { CellRecorder, type DisplayPlaces } from './cell-recorder.ts';
import { type AgentOutputCalls, type AgentOutputEvents, type CellOutput, DATA_PACE_MS, PACE_MS } from './output-protocol.ts';
import { shares } from './shares.ts';

interface Cell {
  kernelId: string;
  recorder: CellRecorder;
  /** When main was last told of its images and values, by the clock of `performance`. */
  dataToldAt: number;
}

export class AgentOutputService implements UntoldOutputs {
  readonly #endpoint: RpcEndpoint;
  readonly #log: Log;
  readonly #cells = new Map<string, Cell>();
  readonly #byRun = new Map<string, { cellId: string; recorder: CellRecorder }>();
  /** By kernel: display_ids are the kernel's own. */
  readonly #places = new Map<string, DisplayPlaces>();
  /** By kernel: msg_id of its last message on iopub. */
  readonly #lastMessages = new Map<string, string>();
  readonly #changed = new Set<string>();
  #telling: NodeJS.Timeout | null = null;
  #tellingData: NodeJS.Timeout | null = null;

  constructor(endpoint: RpcEndpoint, kernels: KernelService, log: Log) {
    this.#endpoint = endpoint;
    this.#log = log;
    kernels.onDisconnection((kernelId, _connection, reason) => {
      if (reason !== 'shutdown') return;
      this.#places.delete(kernelId);
      this.#lastMessages.delete(kernelId);
    });
    const handle = <M extends keyof AgentOutputCalls>(
      method: M,
      handler: (params: AgentOutputCalls[M]['params']) => AgentOutputCalls[M]['result'] | Promise<AgentOutputCalls[M]['result']>,
    ) => endpoint.handle(method, handler);
    handle('agent.begin', (params) => this.#begin(params));
    handle('agent.end', ({ cellIds, maxBytes }) => this.#end(cellIds, maxBytes));
  }

  take(kernelId: string, message: JupyterMessage): void {
    if (message.channel === 'iopub') this.#lastMessages.set(kernelId, message.header.msg_id);
    const parent = message.parent_header.msg_id;
    if (parent !== undefined) this.#byRun.get(parent)?.recorder.take(message);
  }

  missed(runId: string): void {
    this.#byRun.get(runId)?.recorder.note(MISSED);
  }

  tell(kernelId: string, isEnd: boolean): void {
    const cellIds: string[] = [];
    for (const [cellId, cell] of this.#cells)
      if (cell.kernelId === kernelId && (this.#changed.delete(cellId) || cell.recorder.hasNewData)) cellIds.push(cellId);
    this.#emit(kernelId, cellIds, isEnd);
  }

  #begin({ cellId, kernelId, runId, artifactFolder, earlier, note }: AgentOutputCalls['agent.begin']['params']): null {
    let cell = this.#cells.get(cellId);
    if (!cell) {
      const places = this.#places.get(kernelId) ?? new Map();
      this.#places.set(kernelId, places);
      const onChange = (): void => this.#tellSoon(cellId);
      const recorder = new CellRecorder({ cellId, runId, artifactFolder, places, log: this.#log, onChange });
      cell = { kernelId, recorder, dataToldAt: Number.NEGATIVE_INFINITY };
      this.#cells.set(cellId, cell);
      if (earlier) recorder.restore(earlier);
    }
    const { recorder } = cell;
    if (note !== null) recorder.note(note);
    this.#byRun.set(runId, { cellId, recorder });
    this.#tellSoon(cellId);
    return null;
  }

  async #end(cellIds: string[], maxBytes: number): Promise<(CellOutput | null)[]> {
    const recorders = cellIds.map((cellId) => this.#cells.get(cellId)?.recorder);
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

  #tellSoon(cellId: string): void {
    this.#changed.add(cellId);
    this.#telling ??= setTimeout(() => this.#tellAll(), PACE_MS);
  }

  #tellAll(): void {
    this.#telling = null;
    const byKernel = new Map<string, string[]>();
    for (const cellId of this.#changed) {
      const kernelId = this.#cells.get(cellId)?.kernelId;
      if (kernelId !== undefined) byKernel.set(kernelId, [...(byKernel.get(kernelId) ?? []), cellId]);
    }
    this.#changed.clear();
    for (const [kernelId, cellIds] of byKernel) this.#emit(kernelId, cellIds, false);
  }

  /** At a run's end its images and values are told as well, whenever that was done last. */
  #emit(kernelId: string, cellIds: readonly string[], isEnd: boolean): void {
    if (cellIds.length === 0) return;
    const cells = cellIds.map((cellId) => {
      const cell = this.#cells.get(cellId)!;
      return { cellId, output: cell.recorder.now(), data: this.#dataOf(cell, isEnd) };
    });
    const lastMessage = this.#lastMessages.get(kernelId) ?? null;
    this.#endpoint.emit('agent.output', { kernelId, cells, lastMessage } satisfies AgentOutputEvents['agent.output']);
  }

  /** Null when main knows them, or when it is too early to tell it again. */
  #dataOf(cell: Cell, isEnd: boolean): ToldDisplay[] | null {
    if (!cell.recorder.hasNewData) return null;
    const wait = cell.dataToldAt + DATA_PACE_MS - performance.now();
    if (wait > 0 && !isEnd) {
      this.#tellingData ??= setTimeout(() => {
        this.#tellingData = null;
        for (const [id, { recorder }] of this.#cells) if (recorder.hasNewData) this.#tellSoon(id);
      }, wait);
      return null;
    }
    cell.dataToldAt = performance.now();
    return cell.recorder.data(isEnd);
  }
}
