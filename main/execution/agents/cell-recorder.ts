/**
 * What one agent cell puts out, from its messages: text in order, images and JSON, status events. The hard parts are those that reach back:
 * a display that is updated from another cell, and a clear that waits for the next output.
 */
import { unlinkSync } from 'node:fs';
import { type NewArtifact, reserveSync } from '../../artifacts/artifact-file.ts';
import type { JupyterMessage } from '../../kernels/messages.ts';
import type { Log } from '../../log/log.ts';
import { displayIdOf, errorContent, record, replyPayloads, streamContent } from '../message-content.ts';
import {
  collect,
  countItems,
  type DataFolder,
  hold,
  ITEMS_LIMIT,
  isEmpty,
  type Shown,
  stillShown,
  type ToldDisplay,
  tellable,
} from './cell-data.ts';
import { CellText, type TextBlock } from './cell-text.ts';
import { agentText, type DisplayContent, displayContent, type StatusEvent } from './display-content.ts';
import type { CellOutput, CellOutputNow, EarlierOutput } from './output-protocol.ts';

/** Status events of one cell; a loop over files makes more than anyone reads. The last ones are kept. */
const EVENTS_LIMIT = 500;
/** Images that become files while their cell runs; of an animation each may be gone a moment later. */
const EARLY_FILES_LIMIT = 20;
/** A question is quoted up to this many UTF-16 units. */
const PROMPT_LIMIT = 200;

interface Display extends Shown {
  /** Names it in what main is told. */
  key: number;
  block: TextBlock | null;
  displayId: string | null;
}

/** Where each display_id of a kernel is shown, over the cells that are still open. */
export type DisplayPlaces = Map<string, { recorder: CellRecorder; display: Display }[]>;

export interface RecorderOptions {
  cellId: string;
  runId: string;
  artifactFolder: string | null;
  places: DisplayPlaces;
  log: Log;
  /** The output changed, by a message of this cell or by another cell's. */
  onChange: () => void;
}

export class CellRecorder {
  readonly #places: DisplayPlaces;
  readonly #where: DataFolder;
  readonly #text: CellText;
  readonly #onChange: () => void;
  #displays: Display[] = [];
  #nextKey = 0;
  #dataTold = true;
  #earlyFiles = EARLY_FILES_LIMIT;
  #leftOut = 0;
  #events: StatusEvent[] = [];
  #eventsLeftOut = 0;
  #clearNext = false;
  #stdinRequested = false;
  #artifact: NewArtifact | null = null;

  constructor({ cellId, runId, artifactFolder, places, log, onChange }: RecorderOptions) {
    this.#places = places;
    this.#onChange = onChange;
    this.#where = { folder: artifactFolder, source: { areaId: cellId, runId }, log };
    this.#text = new CellText(artifactFolder === null ? {} : { artifact: () => this.#newArtifact(artifactFolder) });
  }

  /** Takes in a message whose parent is a run of this cell. */
  take(message: JupyterMessage): void {
    const { channel, content, header } = message;
    const type: string = header.msg_type;
    if (channel === 'shell' && type === 'execute_reply') this.#pages(message);
    else if (channel === 'stdin' && type === 'input_request') this.#asked(content);
    else if (channel === 'iopub') this.#published(type, content);
  }

  /** A sentence of this program's own. */
  note(text: string): void {
    this.#text.block(text, false);
    this.#onChange();
  }

  /** Goes on with what another host had of the cell. To be called first. */
  restore({ now, data }: EarlierOutput): void {
    this.#text.restore(now.text);
    const [first, ...others] = now.statusEvents;
    const wereLeftOut = first?.op === 'left-out' && typeof first.count === 'number';
    this.#events = wereLeftOut ? others : now.statusEvents;
    this.#eventsLeftOut = wereLeftOut ? (first.count as number) : 0;
    this.#stdinRequested = now.stdinRequested;
    const { displays, lost } = stillShown(data, now.shown);
    this.#nextKey = Math.max(0, ...now.shown.keys);
    for (const display of displays) this.#show({ ...display, block: null });
    if (lost > 0) this.note(lostData(lost));
  }

  /** There are images or values that `data` has not given yet, or not as they are now. */
  get hasNewData(): boolean {
    return !this.#dataTold;
  }

  /** The images and values as main is told of them. `isEnd`: the run that showed them is over. */
  data(isEnd: boolean): ToldDisplay[] {
    this.#dataTold = true;
    const filesBefore = this.#files;
    const data = tellable(this.#displays, this.#where, isEnd ? ITEMS_LIMIT : this.#earlyFiles);
    if (!isEnd) this.#earlyFiles -= this.#files - filesBefore;
    return data;
  }

  now(): CellOutputNow {
    return {
      text: this.#text.now(),
      statusEvents: this.#allEvents(),
      hasData: this.#displays.some((display) => !isEmpty(display)),
      shown: { keys: this.#displays.map(({ key }) => key), items: countItems(this.#displays) },
      stdinRequested: this.#stdinRequested,
    };
  }

  /** Bytes of text that would be shown without a smaller limit. */
  get bytes(): number {
    return this.#text.bytes;
  }

  async end(maxBytes: number): Promise<CellOutput> {
    this.#forgetPlaces();
    if (this.#leftOut > 0)
      this.note(`[${this.#leftOut} more images or JSON values were left out: only ${ITEMS_LIMIT} of a cell are kept.]`);
    const data = collect(this.#displays, this.#where);
    const now = this.now();
    return { ...now, ...data, text: await this.#text.end(maxBytes) };
  }

  /** Shows other content in the place of a display. */
  replace(display: Display, content: DisplayContent): void {
    this.#onChange();
    Object.assign(display, hold(content, this.#where), { key: this.#newKey() });
    this.#dataTold = false;
    const text = content.text ?? '';
    if (display.block && this.#text.replace(display.block, text)) return;
    if (text !== '') display.block = this.#text.block(text, true);
  }

  #published(type: string, content: Record<string, unknown>): void {
    switch (type) {
      case 'stream': {
        const { name, text } = streamContent(content);
        if (text === '') return;
        this.#beforeOutput();
        this.#text.stream(name, text);
        break;
      }
      case 'display_data':
      case 'execute_result':
        this.#display(displayContent(record(content.data)), displayIdOf(content));
        break;
      case 'update_display_data':
        this.#update(content);
        break;
      case 'error':
        this.#error(content);
        break;
      case 'clear_output':
        this.#clearNext = content.wait === true;
        if (!this.#clearNext) this.#clear();
        break;
      default:
        return;
    }
    this.#onChange();
  }

  #display(content: DisplayContent, displayId: string | null): void {
    if (content.status) {
      this.#event(content.status);
      return;
    }
    this.#beforeOutput();
    const block = content.text === null && displayId === null ? null : this.#text.block(content.text ?? '', displayId !== null);
    const display = { key: this.#newKey(), block, displayId, ...hold(content, this.#where) };
    if (isEmpty(display) && displayId === null) return;
    if (this.#displays.length >= ITEMS_LIMIT && !isEmpty(display)) {
      this.#leftOut += 1;
      display.json = [];
      display.images = [];
      this.#place(display);
    } else this.#show(display);
  }

  #show(display: Display): void {
    this.#displays.push(display);
    if (!isEmpty(display)) this.#dataTold = false;
    this.#place(display);
  }

  #place(display: Display): void {
    const { displayId } = display;
    if (displayId === null) return;
    const places = this.#places.get(displayId) ?? [];
    places.push({ recorder: this, display });
    this.#places.set(displayId, places);
  }

  /** A display that no open cell shows was shown in an earlier call: its new content is told here, or nobody would see it. */
  #update(content: Record<string, unknown>): void {
    const displayId = displayIdOf(content);
    if (displayId === null) return;
    const shown = displayContent(record(content.data));
    const places = this.#places.get(displayId);
    if (!places) this.#display(shown, displayId);
    else for (const { recorder, display } of places) recorder.replace(display, shown);
  }

  #error(content: Record<string, unknown>): void {
    this.#beforeOutput();
    const { ename, evalue, traceback } = errorContent(content);
    this.#text.block(agentText(traceback.length > 0 ? traceback.join('\n') : `${ename}: ${evalue}`), false);
  }

  /** What `name?` shows comes with the reply. */
  #pages(message: JupyterMessage): void {
    for (const { source, data } of replyPayloads(message)) if (source === 'page') this.#display(displayContent(record(data)), null);
    this.#onChange();
  }

  #asked({ prompt }: Record<string, unknown>): void {
    this.#stdinRequested = true;
    const question = typeof prompt === 'string' ? agentText(prompt).replace(/\s+/g, ' ').trim().slice(0, PROMPT_LIMIT) : '';
    this.note(`[The code asked for input${question === '' ? '' : ` (“${question}”)`}. Nobody can type here, so it got an empty line.]`);
  }

  #event(event: StatusEvent): void {
    this.#events.push(event);
    if (this.#events.length <= EVENTS_LIMIT) return;
    this.#events.shift();
    this.#eventsLeftOut += 1;
  }

  #allEvents(): StatusEvent[] {
    return this.#eventsLeftOut === 0 ? [...this.#events] : [{ op: 'left-out', count: this.#eventsLeftOut }, ...this.#events];
  }

  #beforeOutput(): void {
    if (!this.#clearNext) return;
    this.#clearNext = false;
    this.#clear();
  }

  /** Status events stay: what was done was done. */
  #clear(): void {
    this.#forgetPlaces();
    this.#text.clear();
    if (this.#displays.length > 0) this.#dataTold = false;
    this.#displays = [];
    this.#leftOut = 0;
  }

  #newKey(): number {
    this.#nextKey += 1;
    return this.#nextKey;
  }

  /** Images that are files by now. */
  get #files(): number {
    return this.#displays.flatMap(({ images }) => images).filter((held) => 'image' in held).length;
  }

  #forgetPlaces(): void {
    for (const [displayId, places] of this.#places) {
      const left = places.filter(({ recorder }) => recorder !== this);
      if (left.length === places.length) continue;
      if (left.length > 0) this.#places.set(displayId, left);
      else this.#places.delete(displayId);
    }
  }

  /** One id for the cell, however often its text is cleared. */
  #newArtifact(folder: string): NewArtifact {
    if (this.#artifact) unlinkSync(this.#artifact.file);
    else {
      const { source } = this.#where;
      this.#artifact = reserveSync(folder, 'txt', { kind: 'stream', mime: 'text/plain', createdAt: Date.now(), source });
    }
    return this.#artifact;
  }
}

/** What is said when images or JSON values are gone with the kernel host. */
export function lostData(count: number): string {
  const what = count === 1 ? 'An image or JSON value that the cell showed is' : `${count} images or JSON values that the cell showed are`;
  return `[The connection to the kernel broke while this ran. ${what} missing.]`;
}
