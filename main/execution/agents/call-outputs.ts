/**
 * Main's view of what the cells of one call put out. It lives in the kernel host and is told from time to time; the whole of it is fetched at
 * the end. When the host dies meanwhile, the next one is given what was told last, before it attaches to the kernel, and goes on from there.
 */
import { randomUUID } from 'node:crypto';
import { isHostGone } from '../../kernels/errors.ts';
import type { RpcEndpoint } from '../../kernels/host/rpc.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { silentLog } from '../../log/log.ts';
import { interrupted } from '../output-sink.ts';
import { heardUntil } from '../run-client.ts';
import { collect, stillShown, type ToldDisplay } from './cell-data.ts';
import { lostData } from './cell-recorder.ts';
import type { AgentOutputCalls, AgentOutputEvents, CellOutput, CellOutputNow } from './output-protocol.ts';

export const NO_OUTPUT: CellOutput = {
  text: { output: '', truncated: false, totalLines: 0, totalBytes: 0, outputLines: 0, outputBytes: 0, artifactId: null, failure: null },
  statusEvents: [],
  hasData: false,
  shown: { keys: [], items: 0 },
  stdinRequested: false,
  json: [],
  images: [],
};

interface Cell {
  id: string;
  /** Its last run, and the host that has its output now; null before the first. */
  run: { kernel: Kernel; runId: string; host: RpcEndpoint } | null;
  now: CellOutputNow;
  data: ToldDisplay[];
}

export class CallOutputs {
  readonly #cells: Cell[];
  readonly #artifactFolder: string | null;
  readonly #onChange: () => void;
  readonly #hosts = new Map<RpcEndpoint, () => void>();
  readonly #kernels = new Map<Kernel, () => void>();

  constructor(cells: number, artifactFolder: string | null, onChange: () => void) {
    this.#cells = Array.from({ length: cells }, () => ({ id: randomUUID(), run: null, now: NO_OUTPUT, data: [] }));
    this.#artifactFolder = artifactFolder;
    this.#onChange = onChange;
  }

  /** Names the cell in the notes of its artifacts. */
  idOf(index: number): string {
    return this.#cells[index]!.id;
  }

  now(index: number): CellOutputNow {
    return this.#cells[index]!.now;
  }

  /** The images and values that it shows now, as far as they were told. */
  dataNow(index: number): Pick<CellOutput, 'json' | 'images'> {
    const { data, now } = this.#cells[index]!;
    const { displays } = stillShown(data, now.shown);
    return {
      json: displays.flatMap(({ json }) => json.map((held) => ('value' in held ? held.value : held.leftOut))),
      images: displays.flatMap(({ images }) => images.map(({ image }) => image)),
    };
  }

  /** What the run puts out is the cell's. To be called right before the run is sent; the two keep their order. */
  begin(index: number, kernel: Kernel, runId: string, note: string | null): void {
    this.#follow(kernel);
    this.#beginAt(this.#cells[index]!, kernel, runId, kernel.host, note);
  }

  /** The output of each cell, whose texts together are at most `maxBytes` long. To be called once, when nothing more is wanted. */
  async end(maxBytes: number): Promise<CellOutput[]> {
    for (const stop of [...this.#hosts.values(), ...this.#kernels.values()]) stop();
    const begun = this.#cells.filter(({ run }) => run !== null);
    const hosts = new Set(begun.map(({ run }) => run!.host));
    const ended = new Map<Cell, CellOutput>();
    for (const host of hosts) {
      const cells = begun.filter(({ run }) => run!.host === host);
      const share = Math.floor((maxBytes * cells.length) / begun.length);
      const outputs = await fetchEnd(host, cells, share);
      cells.forEach((cell, index) => {
        ended.set(cell, outputs?.[index] ?? lastTold(cell));
      });
    }
    return this.#cells.map((cell) => ended.get(cell) ?? NO_OUTPUT);
  }

  #beginAt(cell: Cell, kernel: Kernel, runId: string, host: RpcEndpoint, note: string | null): void {
    const earlier = cell.run && cell.run.host !== host ? { now: cell.now, data: cell.data } : null;
    cell.run = { kernel, runId, host };
    this.#listen(host);
    const params: AgentOutputCalls['agent.begin']['params'] = {
      cellId: cell.id,
      kernelId: kernel.id,
      runId,
      artifactFolder: this.#artifactFolder,
      earlier,
      note,
    };
    // Of a host that is gone the next one takes over.
    host.call('agent.begin', params).catch(() => {});
  }

  /** Gives the cells on to each host that takes the kernel over. */
  #follow(kernel: Kernel): void {
    if (this.#kernels.has(kernel)) return;
    const moveTo = (host: RpcEndpoint): void => {
      for (const cell of this.#cells) {
        const { run } = cell;
        if (run?.kernel === kernel && run.host !== host) this.#beginAt(cell, kernel, run.runId, host, null);
      }
    };
    const stops = [kernel.on('attaching', ({ host }) => moveTo(host)), kernel.on('connected', () => moveTo(kernel.host))];
    this.#kernels.set(kernel, () => {
      for (const stop of stops) stop();
    });
  }

  #listen(host: RpcEndpoint): void {
    if (this.#hosts.has(host)) return;
    const stop = host.on<AgentOutputEvents['agent.output']>('agent.output', ({ cells, lastMessage }) => {
      let heard: Kernel | null = null;
      for (const { cellId, output, data } of cells) {
        const cell = this.#cells.find(({ id }) => id === cellId);
        if (cell?.run?.host !== host) continue;
        cell.now = output;
        cell.data = data ?? cell.data;
        heard = cell.run.kernel;
      }
      if (!heard) return;
      heardUntil(heard, lastMessage);
      this.#onChange();
    });
    this.#hosts.set(host, stop);
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

/** The output of a cell whose host is gone and has no successor. */
function lastTold({ id, run, now, data }: Cell): CellOutput {
  const text = interrupted(now.text);
  const { displays, lost } = stillShown(data, now.shown);
  const note = lost === 0 ? '' : `${text.output === '' || text.output.endsWith('\n') ? '' : '\n'}${lostData(lost)}\n`;
  const where = { folder: null, source: { areaId: id, runId: run?.runId ?? id }, log: silentLog };
  return { ...now, ...collect(displays, where), text: { ...text, output: text.output + note } };
}
