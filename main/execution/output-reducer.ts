/**
 * From messages to outputs, for one kernel: which cell a message belongs to, and what it changes there and in other cells. Deterministic and
 * without effects: what is for the disk is returned, and what is for main waits until it is taken. The hard parts are output that comes after
 * its run (it goes where its parent says, unless that cell runs again) and display_ids, which reach into any cell.
 * The state is changed in place: a copy of the maps of thousands of cells for each message would cost more than the message.
 */
import type { Output } from '../../preload/output-change.ts';
import type { JupyterMessage } from '../kernels/messages.ts';
import { dataContent, displayIdOf, errorContent, record, replyPayloads, streamContent } from './message-content.ts';
import { OutputArea, type SpillEffect, type SpillState } from './output-area.ts';
import { OutputCaptures, widgetArea } from './output-captures.ts';
import type { AreaState, RawOutputChange, RawPayload, RunCapture } from './run-protocol.ts';

export interface AreaChanges {
  areaId: string;
  /** The run that owns the area: changes of an older one are not for the outputs that are there now. */
  runId: string;
  changes: RawOutputChange[];
}

/** Where a display_id is shown. */
interface DisplayPlace {
  area: OutputArea;
  index: number;
  type: 'display_data' | 'execute_result';
  executionCount: number | null;
}

/** Streams of finished runs together keep at most this much, in UTF-16 units; the oldest give way. */
const RETAINED_LIMIT = 32 * 1024 * 1024;
/** Areas remembered for late output. A notebook has one per cell, an agent one per run. */
const AREAS_LIMIT = 20_000;

export class OutputReducer {
  /** By area, the least recently started first. */
  readonly #areas = new Map<string, OutputArea>();
  /** By msg_id of the request, as long as its output counts. */
  readonly #byParent = new Map<string, OutputArea>();
  readonly #displays = new Map<string, DisplayPlace[]>();
  readonly #changed = new Set<OutputArea>();
  /** Outputs of widgets that capture some; null while nobody shows widgets, and everything stays with its cell. */
  #captures: OutputCaptures | null = null;
  readonly #widgetAreas = new Map<string, OutputArea>();
  #widgetFolder: string | null = null;
  #latest: OutputArea | null = null;
  #spills = 0;

  /** True while there is something to take. */
  get changed(): boolean {
    return this.#changed.size > 0;
  }

  /** A run takes over an area, whose outputs are cleared. What an older run of it still says is dropped. */
  startRun(areaId: string, runId: string, folder: string | null): SpillEffect[] {
    const effects = this.#forget(areaId);
    const area = new OutputArea(areaId, runId, folder, () => this.#spills++);
    this.#areas.set(areaId, area);
    this.#byParent.set(runId, area);
    this.#latest = area;
    return [...effects, ...this.#release(area)];
  }

  /** Goes on with an area whose outputs another host made. */
  adopt({ areaId, runId, count, displays }: AreaState, folder: string | null): void {
    const area = new OutputArea(areaId, runId, folder, () => this.#spills++);
    area.goOnAfter(count);
    this.#areas.set(areaId, area);
    this.#byParent.set(runId, area);
    this.#latest = area;
    for (const { id, index, type, executionCount } of displays) this.#shows(id, { area, index, type, executionCount });
  }

  /** From now on widgets take in what they capture. They go on after the outputs that they have; those known before are gone. */
  capture({ artifactFolder, widgets }: Omit<RunCapture, 'kernelId'>): SpillEffect[] {
    const effects = [...this.#widgetAreas.keys()].flatMap((commId) => this.#forgetWidget(commId));
    this.#captures = new OutputCaptures();
    this.#widgetFolder = artifactFolder;
    for (const { commId, requestId, count, displays } of widgets) {
      this.#captures.add(commId, requestId);
      const area = this.#widgetArea(commId);
      area.goOnAfter(count);
      for (const { id, index, type, executionCount } of displays) this.#shows(id, { area, index, type, executionCount });
    }
    return effects;
  }

  /** Adds a sentence of this program's own to an area. */
  note(areaId: string, text: string): void {
    const area = this.#areas.get(areaId);
    if (area) this.#mark(area, area.stream('stderr', text));
  }

  /** Adds a question of a run's code and its answer to what the run put out. */
  answered(runId: string, text: string): SpillEffect[] {
    const area = this.#byParent.get(runId);
    if (!area) return [];
    this.#beforeOutput(area);
    return this.#mark(area, area.stream('stdin', text));
  }

  /** The area that a message's output goes to, or null when nobody waits for it any more. */
  areaOf(message: JupyterMessage): OutputArea | null {
    const { msg_id: parent, msg_type: type } = message.parent_header;
    const widget = this.#captures?.active && parent !== undefined && message.channel === 'iopub' ? this.#captures.widgetFor(parent) : null;
    if (widget !== null) return this.#widgetArea(widget);
    const area = parent === undefined ? undefined : this.#byParent.get(parent);
    if (area) return area;
    // A widget's callback has no cell of its own; its output must not vanish. Nor has a thread's, which ipykernel gives to whatever was asked last:
    // after a change of hosts that is the question whether the kernel is free.
    return typeof type === 'string' && (type.startsWith('comm_') || type === 'kernel_info_request') ? this.#latest : null;
  }

  /** Takes in one message. Messages that aren't about output change nothing. */
  reduce(message: JupyterMessage): SpillEffect[] {
    const { content } = message;
    const type: string = message.header.msg_type;
    if (message.channel === 'shell') return type === 'execute_reply' ? this.#pages(message) : [];
    if (message.channel !== 'iopub') return [];
    if (type === 'update_display_data') return this.#update(content);
    if (this.#captures && type.startsWith('comm_')) return this.#comm(message, this.#captures);
    const area = this.areaOf(message);
    if (!area) return [];
    switch (type) {
      case 'stream': {
        const { name, text } = streamContent(content);
        if (text === '') return [];
        this.#beforeOutput(area);
        return this.#mark(area, area.stream(name, text));
      }
      case 'display_data':
      case 'execute_result':
        return this.#append(area, dataContent(type, content));
      case 'error':
        return this.#append(area, errorContent(content));
      case 'clear_output': {
        const wait = content.wait === true;
        if (!wait) this.#forgetDisplays(area);
        return this.#mark(area, area.clear(wait));
      }
      default:
        return [];
    }
  }

  /** Somebody cleared this area's outputs by hand; what comes from now on is counted from the beginning. */
  clearArea(areaId: string): SpillEffect[] {
    const area = this.#areas.get(areaId);
    if (!area) return [];
    this.#forgetDisplays(area);
    return this.#mark(area, area.clear(false));
  }

  /** No stream can grow any more, since the process behind them is gone. */
  settle(): SpillEffect[] {
    return this.#everyArea().flatMap((area) => area.settle());
  }

  /** The artifact of a stream has got its id or has failed. */
  spillChanged(spill: number): void {
    for (const area of this.#everyArea()) {
      area.spillChanged(spill);
      if (area.changed) this.#changed.add(area);
    }
  }

  /** Everything main doesn't know yet. */
  take(stateOf: (spill: number) => SpillState): AreaChanges[] {
    const taken: AreaChanges[] = [];
    for (const area of this.#changed) {
      const changes = area.take(stateOf);
      if (changes.length > 0) taken.push({ areaId: area.areaId, runId: area.runId, changes });
    }
    this.#changed.clear();
    return taken;
  }

  #everyArea(): OutputArea[] {
    return [...this.#areas.values(), ...this.#widgetAreas.values()];
  }

  #widgetArea(commId: string): OutputArea {
    let area = this.#widgetAreas.get(commId);
    if (!area) {
      const id = widgetArea(commId);
      area = new OutputArea(id, id, this.#widgetFolder, () => this.#spills++);
      this.#widgetAreas.set(commId, area);
    }
    return area;
  }

  #forgetWidget(commId: string): SpillEffect[] {
    const area = this.#widgetAreas.get(commId);
    if (!area) return [];
    this.#forgetDisplays(area);
    this.#widgetAreas.delete(commId);
    this.#changed.delete(area);
    return area.settle();
  }

  /** What a comm message says about the outputs of widgets. Those that the kernel sets itself take the place of all that was captured. */
  #comm(message: JupyterMessage, captures: OutputCaptures): SpillEffect[] {
    const change = captures.take(message);
    if (!change) return [];
    if ('closed' in change) return this.#forgetWidget(change.commId);
    const area = this.#widgetArea(change.commId);
    this.#forgetDisplays(area);
    const effects = area.clear(false);
    for (const output of change.outputs.map(record)) {
      const type = output.output_type;
      if (type === 'stream') {
        const { name, text } = streamContent({ ...output, text: joined(output.text) });
        effects.push(...area.stream(name, text));
      } else if (type === 'error') effects.push(...area.append(errorContent(output)).effects);
      else if (type === 'display_data' || type === 'execute_result') effects.push(...area.append(dataContent(type, output)).effects);
    }
    return this.#mark(area, effects);
  }

  #append(area: OutputArea, output: Output<RawPayload>): SpillEffect[] {
    this.#beforeOutput(area);
    const { index, effects } = area.append(output);
    if ((output.type === 'display_data' || output.type === 'execute_result') && output.displayId !== undefined) {
      const { type, executionCount, displayId } = output;
      this.#shows(displayId, { area, index, type, executionCount });
    }
    return this.#mark(area, effects);
  }

  #shows(displayId: string, place: DisplayPlace): void {
    const places = this.#displays.get(displayId) ?? [];
    places.push(place);
    this.#displays.set(displayId, places);
    place.area.displayIds.add(displayId);
  }

  #update(content: Record<string, unknown>): SpillEffect[] {
    const displayId = displayIdOf(content);
    for (const { area, index, type, executionCount } of (displayId !== null && this.#displays.get(displayId)) || []) {
      area.replace(index, { ...dataContent(type, content), executionCount });
      this.#changed.add(area);
    }
    return [];
  }

  /** What `name?` shows comes as a payload of the reply and not as output. */
  #pages(message: JupyterMessage): SpillEffect[] {
    const area = this.areaOf(message);
    if (!area) return [];
    return replyPayloads(message).flatMap((payload) => {
      if (payload.source !== 'page') return [];
      return this.#append(area, { type: 'display_data', data: record(payload.data), metadata: {}, executionCount: null });
    });
  }

  #beforeOutput(area: OutputArea): void {
    if (area.clearsNext) this.#forgetDisplays(area);
  }

  #mark(area: OutputArea, effects: SpillEffect[]): SpillEffect[] {
    if (area.changed) this.#changed.add(area);
    return effects;
  }

  #forget(areaId: string): SpillEffect[] {
    const area = this.#areas.get(areaId);
    if (!area) return [];
    this.#forgetDisplays(area);
    this.#areas.delete(areaId);
    this.#byParent.delete(area.runId);
    this.#changed.delete(area);
    return area.settle();
  }

  #forgetDisplays(area: OutputArea): void {
    for (const id of area.displayIds) {
      const left = (this.#displays.get(id) ?? []).filter((place) => place.area !== area);
      if (left.length > 0) this.#displays.set(id, left);
      else this.#displays.delete(id);
    }
    area.displayIds.clear();
  }

  /** Gives back the memory of the oldest finished runs when all of them keep too much. */
  #release(current: OutputArea): SpillEffect[] {
    const effects: SpillEffect[] = [];
    let excess = this.#areas.size - AREAS_LIMIT;
    for (const areaId of excess > 0 ? [...this.#areas.keys()] : []) {
      if (excess-- <= 0) break;
      effects.push(...this.#forget(areaId));
    }
    let weight = 0;
    for (const area of this.#everyArea()) weight += area.weight;
    for (const area of this.#everyArea()) {
      if (weight <= RETAINED_LIMIT || area === current) break;
      weight -= area.weight;
      effects.push(...area.settle());
    }
    return effects;
  }
}

/** nbformat's text may be a list of lines. */
function joined(text: unknown): unknown {
  return Array.isArray(text) ? text.join('') : text;
}
