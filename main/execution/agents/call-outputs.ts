/**
 * Main's view of what the cells of one call put out. It lives in the kernel host and is told from time to time; the whole of it is fetched at
 * the end. When the host dies meanwhile, what was told last is all that is left, and it is kept.
 */
import { randomUUID } from 'node:crypto';
import { isHostGone } from '../../kernels/errors.ts';
import type { RpcEndpoint } from '../../kernels/host/rpc.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { AgentOutputCalls, AgentOutputEvents, CellOutput, CellOutputNow } from './output-protocol.ts';

export const NO_OUTPUT: CellOutput = {
  text: { output: '', truncated: false, totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0, artifactId: null, failure: null },
  statusEvents: [],
  hasData: false,
  stdinRequested: false,
  json: [],
  images: [],
};

interface Cell {
  id: string;
  /** The host that has its output now. */
  host: RpcEndpoint | null;
  now: CellOutputNow;
}

export class CallOutputs {
  readonly #cells: Cell[];
  readonly #artifactFolder: string | null;
  readonly #onChange: () => void;
  readonly #stops = new Map<RpcEndpoint, () => void>();

  constructor(cells: number, artifactFolder: string | null, onChange: () => void) {
    this.#cells = Array.from({ length: cells }, () => ({ id: randomUUID(), host: null, now: NO_OUTPUT }));
    this.#artifactFolder = artifactFolder;
    this.#onChange = onChange;
  }

  now(index: number): CellOutputNow {
    return this.#cells[index]!.now;
  }

  /** What the run puts out is the cell's. To be called right before the run is sent; the two keep their order. */
  begin(index: number, kernel: Kernel, runId: string, note: string | null): void {
    const cell = this.#cells[index]!;
    const { host } = kernel;
    // From a host that died: its successor has none of the text.
    const earlier = cell.host && cell.host !== host ? cell.now.text.output : '';
    const notes = [earlier, note].filter(Boolean).join('\n') || null;
    cell.host = host;
    this.#listen(host);
    const params: AgentOutputCalls['agent.begin']['params'] = {
      cellId: cell.id,
      kernelId: kernel.id,
      runId,
      artifactFolder: this.#artifactFolder,
      note: notes,
    };
    // A host that is gone loses the run as well, and that is told by the run.
    host.call('agent.begin', params).catch(() => {});
  }

  /** The output of each cell, whose texts together are at most `maxBytes` long. To be called once, when nothing more is wanted. */
  async end(maxBytes: number): Promise<CellOutput[]> {
    for (const stop of this.#stops.values()) stop();
    const begun = this.#cells.filter(({ host }) => host !== null);
    const hosts = new Set(begun.map(({ host }) => host!));
    const ended = new Map<Cell, CellOutput>();
    for (const host of hosts) {
      const cells = begun.filter((cell) => cell.host === host);
      const share = Math.floor((maxBytes * cells.length) / begun.length);
      const outputs = await fetchEnd(host, cells, share);
      cells.forEach((cell, index) => {
        ended.set(cell, outputs?.[index] ?? { ...NO_OUTPUT, ...cell.now, hasData: false });
      });
    }
    return this.#cells.map((cell) => ended.get(cell) ?? NO_OUTPUT);
  }

  #listen(host: RpcEndpoint): void {
    if (this.#stops.has(host)) return;
    const stop = host.on<AgentOutputEvents['agent.output']>('agent.output', ({ cellId, output }) => {
      const cell = this.#cells.find(({ id }) => id === cellId);
      if (cell?.host !== host) return;
      cell.now = output;
      this.#onChange();
    });
    this.#stops.set(host, stop);
  }
}

/** Null when the host is gone. */
async function fetchEnd(
  host: RpcEndpoint,
  cells: readonly Cell[],
  maxBytes: number,
): Promise<AgentOutputCalls['agent.end']['result'] | null> {
  const params: AgentOutputCalls['agent.end']['params'] = { cellIds: cells.map(({ id }) => id), maxBytes };
  try {
    return await host.call('agent.end', params);
  } catch (error) {
    if (isHostGone(error)) return null;
    throw error;
  }
}
