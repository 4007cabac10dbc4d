/**
 * Bytes in a widget's state. On the wire they travel apart from the JSON, with paths that say where they belong (ipywidgets' messaging protocol,
 * "binary serialization"); here they stand in their places, as Uint8Array. Pure.
 */

export type State = Record<string, unknown>;
export type BufferPath = readonly (string | number)[];

/** The state with each buffer in its place. A path that leads nowhere is passed over: a kernel's mistake must not cost the rest. */
export function withBuffers(state: State, paths: readonly unknown[], buffers: readonly Uint8Array[]): State {
  if (paths.length === 0) return state;
  const copy = structuredClone(state);
  paths.forEach((path, index) => {
    const buffer = buffers[index];
    if (buffer && isPath(path)) put(copy, path, buffer);
  });
  return copy;
}

function put(state: State, path: BufferPath, buffer: Uint8Array): void {
  let place: unknown = state;
  for (const step of path.slice(0, -1)) place = child(place, step);
  const last = path.at(-1);
  if (typeof place !== 'object' || place === null || last === undefined) return;
  if (Array.isArray(place) ? !Number.isInteger(last) : isUnsafe(last)) return;
  (place as Record<string | number, unknown>)[last] = buffer;
}

function child(place: unknown, step: string | number): unknown {
  if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return undefined;
  return (place as Record<string | number, unknown>)[step];
}

/** The names by which an object's prototype is reached. */
function isUnsafe(step: string | number): boolean {
  return step === '__proto__' || step === 'constructor' || step === 'prototype';
}

function isPath(path: unknown): path is BufferPath {
  return Array.isArray(path) && path.length > 0 && path.every((step) => typeof step === 'string' || typeof step === 'number');
}

/** The reverse: the state without its bytes, and where each of them was. */
export function withoutBuffers(state: State): { state: State; paths: BufferPath[]; buffers: Uint8Array[] } {
  const paths: BufferPath[] = [];
  const buffers: Uint8Array[] = [];
  const strip = (value: unknown, path: BufferPath): unknown => {
    if (value instanceof Uint8Array) {
      paths.push(path);
      buffers.push(value);
      return null;
    }
    if (Array.isArray(value)) return value.map((each, index) => strip(each, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, strip(each, [...path, key])]));
  };
  return { state: strip(state, []) as State, paths, buffers };
}

/** What a value weighs on its way between processes, in bytes, about. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 16;
  for (const each of Array.isArray(value) ? value : Object.values(value)) weight += weightOf(each);
  return weight;
}
