/** Processes as a sentence names them, as in `python 12, 13; sleep 14`. Pure. */

export interface NamedProcess {
  pid: number;
  name: string;
}

/** So many are named; a pool of hundreds is one of many of its kind. */
const MAX_NAMED = 8;

export function processNames(processes: readonly NamedProcess[]): string {
  const byName = new Map<string, number[]>();
  for (const { name, pid } of processes.slice(0, MAX_NAMED)) byName.set(name, [...(byName.get(name) ?? []), pid]);
  const named = [...byName].map(([name, pids]) => `${name} ${pids.join(', ')}`).join('; ');
  return processes.length > MAX_NAMED ? `${named} and ${processes.length - MAX_NAMED} more` : named;
}
