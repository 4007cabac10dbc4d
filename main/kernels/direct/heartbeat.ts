/**
 * Asks the kernel's heartbeat channel whether its process still runs. A missed beat is a hint for the person and never a death: a stopped
 * process or a machine that was asleep comes back. One warning for a row of misses, one all-clear for the first beat after it.
 */

/** Between beats, as the specification of sessions says. */
const INTERVAL_MS = 5_000;

/** A kernel answers in under a millisecond also while it computes; this long without an answer means that it does not run. */
const TIMEOUT_MS = 2_500;

export interface HeartbeatOptions {
  intervalMs?: number;
  timeoutMs?: number;
}

/** Beats until the returned function is called. `beat` resolves with false for a missed beat and is never called twice at a time. */
export function watchHeartbeat(
  beat: (timeoutMs: number) => Promise<boolean>,
  onChange: (beating: boolean) => void,
  { intervalMs = INTERVAL_MS, timeoutMs = TIMEOUT_MS }: HeartbeatOptions = {},
): () => void {
  let stopped = false;
  let beating = true;
  const next = (): NodeJS.Timeout => setTimeout(() => void once(), intervalMs);
  const once = async (): Promise<void> => {
    const answered = await beat(timeoutMs);
    if (stopped) return;
    if (answered !== beating) {
      beating = answered;
      onChange(beating);
    }
    timer = next();
  };
  let timer = next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
