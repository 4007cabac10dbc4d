/**
 * anywidget's front end is published as an AMD module, which calls a global `define` when it is loaded. This one takes down what it is given; it has
 * to be loaded before.
 */

type Factory = (base: unknown) => Record<string, unknown>;

let defined: Factory | null = null;

function define(_dependencies: readonly string[], factory: Factory): void {
  defined = factory;
}

Object.assign(globalThis, { define });

/** What the last module defined; throws when none has. */
export function takeDefined(): Factory {
  if (!defined) throw new Error('No module was defined.');
  return defined;
}
