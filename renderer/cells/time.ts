/**
 * Times as the gutter shows them: short enough for 64 px, and steady while they count (tabular numbers, whole seconds).
 */

/** Time taken by a finished run: `43 ms`, `0.3s`, `1.2s`, `12s`, `1:07`, `1:02:03`. */
export function takenTime(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 99.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`;
  if (ms < 59_500) return `${Math.round(ms / 1000)}s`;
  return clock(Math.round(ms / 1000));
}

/** Time a run has been going on: `0:07`, `1:02:03`. */
export function runningTime(milliseconds: number): string {
  return clock(Math.floor(Math.max(0, milliseconds) / 1000));
}

function clock(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** The same for a screen reader: `1 minute 7 seconds`. */
export function spokenTime(milliseconds: number): string {
  const seconds = Math.round(Math.max(0, milliseconds) / 1000);
  if (seconds < 1) return 'less than a second';
  const parts: string[] = [];
  const add = (value: number, unit: string) => {
    if (value > 0) parts.push(`${value} ${unit}${value === 1 ? '' : 's'}`);
  };
  add(Math.floor(seconds / 3600), 'hour');
  add(Math.floor(seconds / 60) % 60, 'minute');
  add(seconds % 60, 'second');
  return parts.join(' ');
}

/** When a recent notebook was opened: `just now`, `5 min ago`, `3 h ago`, `yesterday`, else the date. */
export function sinceTime(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  if (hours < 48) return 'yesterday';
  return new Date(then).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}
