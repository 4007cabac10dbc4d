/**
 * Code for a Python kernel before the first cell: where it works, and the helpers of agent sessions. It is sent as a silent request
 * without history. What is hard is done in Python; here the sources only become literals, so that no temporary name is needed.
 */
import packageSource from './__init__.py';
import artifacts from './artifacts.py';
import automagic from './automagic.py';
import change from './change.py';
import events from './events.py';
import files from './files.py';
import initSource from './init.py';
import installSource from './install.py';
import listing from './listing.py';
import processes from './processes.py';
import results from './results.py';
import search from './search.py';
import shell from './shell.py';
import storage from './storage.py';
import text from './text.py';
import walking from './walking.py';

/** Sources by module name; the empty name is the package itself. */
const MODULES = {
  '': packageSource,
  artifacts,
  automagic,
  change,
  events,
  files,
  listing,
  processes,
  results,
  search,
  shell,
  storage,
  text,
  walking,
};

export interface KernelStart {
  /** Absolute path on the kernel's machine. */
  cwd: string;
  /** Entries for `os.environ`, such as PI_SESSION_FILE and ARTIFACTS. */
  env: Readonly<Record<string, string>>;
}

/**
 * Changes to `cwd`, sets the variables and puts `cwd` on `sys.path` (SPEC section 4). When the folder can't be entered, the kernel replies
 * with FileNotFoundError, NotADirectoryError or PermissionError and has changed nothing.
 */
export function initCode({ cwd, env }: KernelStart): string {
  return call(initSource, '<cellwright>/init.py', 'prepare', `**__import__("json").loads(${literal(JSON.stringify({ cwd, env }))})`);
}

/** Puts the helpers into the namespace. Names the user already has stay theirs; sending it again adds only what is missing. */
export function preludeCode(): string {
  return call(installSource, '<cellwright>/install.py', 'install', `${literal(MODULES)}, globals()`);
}

/** Python that runs a source in a namespace of its own and calls one of its functions. */
function call(source: string, file: string, name: string, args: string): string {
  const run = `exec(compile(${literal(source)}, ${literal(file)}, "exec", 0, True), own)`;
  return `(lambda own: (${run}, own[${literal(name)}](${args}), None)[-1])({"__name__": "cellwright_start"})`;
}

/**
 * JSON of texts, and of objects of texts, is a Python literal as well: JSON's escapes mean the same there. The rest is escaped too, because
 * IPython takes U+2028 and its kin for ends of lines.
 */
function literal(value: string | Readonly<Record<string, string>>): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
