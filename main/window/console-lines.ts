/**
 * Errors and warnings that the scripts of outputs report, within bounds: a loop that reports for ever costs a counter. Pure. Electron tells them in
 * two ways, by its version.
 */
import type { ConsoleLine } from '../agents/output-viewer.ts';
import { originOf } from './permissions.ts';

const LINES_LIMIT = 20;
/** UTF-16 units. */
const LINE_LIMIT = 500;

/** As newer versions have it; older ones give level, message, line and source after an empty one. */
export interface ConsoleEvent {
  level?: unknown;
  message?: unknown;
  sourceId?: unknown;
}

/** Null for what is no error or warning, and for what our own page says. */
export function consoleMessage(event: ConsoleEvent, [oldLevel, oldMessage, , oldSource]: readonly unknown[]): ConsoleLine | null {
  const level = levelOf(event.level ?? oldLevel);
  const source = String(event.sourceId ?? oldSource ?? '');
  if (level === null || isOurs(source)) return null;
  return { level, text: String(event.message ?? oldMessage ?? '') };
}

/** Numbers count from `verbose`. */
function levelOf(level: unknown): ConsoleLine['level'] | null {
  if (level === 'error' || level === 3) return 'error';
  return level === 'warning' || level === 2 ? 'warning' : null;
}

/** The page around the outputs, and Electron's own advice. */
function isOurs(source: string): boolean {
  return source.startsWith('node:') || originOf(source)?.startsWith('app:') === true;
}

export class ConsoleLines {
  readonly #lines: ConsoleLine[] = [];
  #leftOut = 0;

  add({ level, text }: ConsoleLine): void {
    if (this.#lines.length < LINES_LIMIT)
      this.#lines.push({ level, text: text.length > LINE_LIMIT ? `${text.slice(0, LINE_LIMIT)}…` : text });
    else this.#leftOut += 1;
  }

  taken(): { lines: ConsoleLine[]; leftOut: number } {
    return { lines: [...this.#lines], leftOut: this.#leftOut };
  }
}
