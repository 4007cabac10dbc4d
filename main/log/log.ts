/**
 * What the parts of main write to the log: an event name and a few plain values. The hard rule is what must not be in it: no cell
 * contents, no output, no text a person typed. Values are therefore scalars only and cut short, and an error gives its name and message.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogValue = string | number | boolean | null | undefined;

export type LogFields = Readonly<Record<string, LogValue>>;

/** One method per level. `event` is a fixed dotted name such as `kernel.started`, never a sentence with values in it. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** For tests and for parts that nobody gave a log. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Longer values are cut: a whole source or output that got in by mistake must not fill the file. */
const MAX_VALUE_LENGTH = 500;

/** One line of the file: JSON with time, level and event first. */
export function logLine(time: Date, level: LogLevel, event: string, fields: LogFields = {}): string {
  const line: Record<string, LogValue> = { time: time.toISOString(), level, event };
  for (const [name, value] of Object.entries(fields)) {
    if (name in line) line[`${name}_`] = cut(value);
    else line[name] = cut(value);
  }
  return JSON.stringify(line);
}

/** Name, message and the frames of an error as fields. The message of a foreign error may quote a path but never a source. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
  return { error: error.name, message: error.message, cause, stack: frames.slice(0, 6).join(' ').replace(/\s+/g, ' ').trim() };
}

function cut(value: LogValue): LogValue {
  if (typeof value !== 'string' || value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH)}… (${value.length} characters)`;
}
