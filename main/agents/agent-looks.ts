/** By what a person tells agents apart: a name that no other has, and a hue that nobody who is here has, as long as there are any. Pure. */
import { AGENT_HUES } from '../../preload/agent-sessions.ts';

export interface Looks {
  name: string;
  hue: number;
}

/** For one who comes beside `others`, as it named itself. */
export function looksBeside(others: readonly (Looks & { connected: boolean })[], name: string): Looks {
  const used = new Set(others.filter(({ connected }) => connected).map(({ hue }) => hue));
  const hues = Array.from({ length: AGENT_HUES }, (_, index) => (others.length + index) % AGENT_HUES);
  return {
    name: uniqueName(name, new Set(others.map((other) => other.name))),
    hue: hues.find((hue) => !used.has(hue)) ?? others.length % AGENT_HUES,
  };
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count += 1) if (!taken.has(`${name} ${count}`)) return `${name} ${count}`;
}
