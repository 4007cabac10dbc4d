/**
 * The Python expression that sums up a kernel's variables. It is evaluated as a user expression, so it adds no cell, no history and no name;
 * and it gives base64, so that its answer is the same however a kernel quotes a text. Everything in it is bounded, since one variable may be gigabytes.
 */

export interface VariableSummary {
  name: string;
  type: string;
  /** Shape, length or size in a few characters; empty when it has none. */
  size: string;
  preview: string;
}

/** Characters of one preview, and variables that are described. */
const PREVIEW = 120;
export const VARIABLES_LIMIT = 100;

/** A text of a value that has thousands of parts is not made: `reprlib` looks at a few of them. */
const CODE = `
import base64, json, reprlib, types
short = reprlib.Repr()
short.maxstring = short.maxother = ${PREVIEW}
short.maxlist = short.maxtuple = short.maxset = short.maxdict = 6
plain = (int, float, complex, bool, str, bytes, list, tuple, set, frozenset, dict, type(None), range)
def sized(value):
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple): return "x".join(str(part) for part in shape)
    try: return str(len(value)) if not isinstance(value, type) else ""
    except Exception: return ""
def previewed(value):
    try:
        kind = type(value)
        if kind in plain: return short.repr(value)
        if kind.__module__.split(".")[0] == "pandas" and hasattr(value, "columns"): return "columns: " + ", ".join(str(name) for name in list(value.columns[:12]))
        if hasattr(value, "dtype"):
            number = value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else None
            return short.repr(number) if type(number) in plain[:5] else "dtype " + str(value.dtype)
        if callable(value): return str(getattr(value, "__qualname__", ""))
        return ""
    except Exception as error: return type(error).__name__
found = []
hidden = set(scope.get("user_ns_hidden", ()))
for name in sorted(scope["names"]):
    value = scope["names"][name]
    if name.startswith("_") or name in hidden or name in ("In", "Out", "exit", "quit", "get_ipython", "open") or isinstance(value, types.ModuleType): continue
    if scope["wanted"] and name not in scope["wanted"]: continue
    found.append({"name": name, "type": type(value).__name__, "size": sized(value), "preview": previewed(value)[:${PREVIEW}]})
scope["answer"] = base64.b64encode(json.dumps({"total": len(found), "variables": found[:${VARIABLES_LIMIT}]}).encode()).decode()
`;

/** `names` empty: all of them. */
export function variablesExpression(names: readonly string[]): string {
  const scope = `{"names": dict(globals()), "user_ns_hidden": list(get_ipython().user_ns_hidden), "wanted": ${JSON.stringify(names)}}`;
  return `(lambda scope: (exec(${pythonText(CODE)}, {"scope": scope}), scope["answer"])[1])(${scope})`;
}

/** A JSON text is a Python text as well, but for escapes of characters outside of the basic plane, which there are none of. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** What the kernel's `user_expressions` says, or the reason why it says nothing. */
export function readVariables(expression: unknown): { total: number; variables: VariableSummary[] } | string {
  const { status, data, ename, evalue } = (expression ?? {}) as Record<string, unknown>;
  if (status !== 'ok') return `${String(ename ?? 'Error')}: ${String(evalue ?? 'the kernel gave no answer')}`;
  const text = (data as Record<string, unknown> | undefined)?.['text/plain'];
  const base64 = typeof text === 'string' ? /^'([A-Za-z0-9+/=]*)'$/.exec(text)?.[1] : undefined;
  if (base64 === undefined) return 'the kernel gave an answer that is none';
  const { total, variables } = JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as {
    total: number;
    variables: VariableSummary[];
  };
  return { total, variables };
}
