/**
 * Why a kernel did not start, from what is left of it: its stderr, its exit, or the error of the spawn. Pure. The causes are tried in
 * order, the more particular before those they bring about (a shadowed module also shows as a missing one).
 */
import path from 'node:path';
import { KernelStartError, type StartFailure } from '../errors.ts';

export interface StartEvidence {
  /** The program and its arguments as they were started. */
  argv: readonly string[];
  cwd: string;
  stderr: string;
  /** Null when it had not ended. */
  exit: { code: number | null; signal: string | null } | null;
  /** Code of the spawn's error, e.g. ENOENT. */
  spawnCode?: string;
  /** False when the working directory is missing, which spawn reports as a missing program. */
  cwdExists?: boolean;
  /** Descriptors the process was allowed. */
  fileLimit?: number | null;
}

interface Known {
  failure: StartFailure;
  pattern: RegExp;
  explain: (match: RegExpMatchArray, evidence: StartEvidence) => { message: string; hint: string } | null;
}

/** What an ipykernel needs for itself: its sockets, their pollers, its event loops' pipes. Measured. */
const LEAST_DESCRIPTORS = 64;

const program = ({ argv }: StartEvidence): string => argv[0] ?? '(no program)';

/** The last one in the text is the error that ended it; earlier ones may be handled. */
const MISSING_MODULE = /(?:ModuleNotFoundError: |: )No module named '?([\w.]+)'?/;

const KERNEL_MODULES = new Set(['ipykernel', 'ipykernel_launcher']);

/** Modules of the standard library that people name their own files after, and that a kernel imports on its way up. */
const STDLIB = new Set(
  `abc argparse array ast asyncio base64 bisect calendar cmd code codecs collections concurrent configparser contextlib copy csv ctypes
   dataclasses datetime decimal email enum functools getpass glob gzip hashlib heapq html http importlib inspect io ipaddress itertools json
   keyword linecache locale logging math multiprocessing numbers operator os pathlib pickle pkgutil platform pprint profile queue random re
   runpy select selectors shutil signal site socket sqlite3 ssl stat statistics string struct subprocess symbol sys sysconfig tempfile test
   textwrap threading time token tokenize trace traceback types typing unicodedata unittest urllib uuid warnings weakref xml zipfile`.split(
    /\s+/,
  ),
);

/** Where Python's own modules and installed packages lie: `lib/python3.12`, `Lib` on Windows. */
const LIBRARY_FOLDER = /\/lib(64)?\/python\d|\/Lib\/|\/(site|dist)-packages\//;

const KNOWN: readonly Known[] = [
  {
    failure: 'port-taken',
    pattern: /Address already in use|EADDRINUSE|WSAEADDRINUSE|Only one usage of each socket address/i,
    explain: () => ({ message: 'Another program took one of the kernel’s ports while it started.', hint: 'Start it again.' }),
  },
  {
    failure: 'too-many-files',
    pattern: /Too many open files|EMFILE|ENFILE/,
    explain: () => ({
      message: 'The kernel ran into the limit of open files.',
      hint: 'Shut down kernels that are not needed, or raise the limit (`ulimit -n`).',
    }),
  },
  {
    failure: 'no-space',
    pattern: /No space left on device|ENOSPC|Disk quota exceeded/,
    explain: () => ({
      message: 'The disk is full, and the kernel could not write its files.',
      hint: 'Free some space and start it again.',
    }),
  },
  {
    failure: 'broken-python',
    pattern: /Fatal Python error: [^\n]*|No module named 'encodings'|Could not find platform independent libraries/,
    explain: (_match, evidence) => ({
      message: `The interpreter ${program(evidence)} does not find its own library.`,
      hint: 'Check PYTHONHOME and PYTHONPATH, or make the environment again.',
    }),
  },
  {
    failure: 'shadowed-module',
    pattern: /(?:Traceback|Error)[\s\S]*/,
    explain: ([trace], evidence) => {
      const shadow = shadowingFile(trace, evidence.cwd);
      if (shadow === null) return null;
      return {
        message: `${shadow.file} hides the standard library’s module \`${shadow.module}\`, which the kernel needs.`,
        hint: 'Rename the file and start again.',
      };
    },
  },
  {
    failure: 'wrong-architecture',
    // A program that the system can't run is given to the shell, which chokes on its first bytes.
    pattern:
      /\x7fELF|incompatible architecture|wrong ELF class|Exec format error|cannot execute binary file|Bad CPU type in executable|not a valid Win32 application|%1 is not a valid/i,
    explain: (_match, evidence) => ({
      message: `${program(evidence)}, or a library it loads, is built for another kind of processor.`,
      hint: 'Install a Python (or the package that is named) for this machine’s architecture.',
    }),
  },
  {
    failure: 'missing-library',
    pattern:
      /error while loading shared libraries: ([^\s:]+)|Library not loaded: (\S+)|version [`']?(GLIBC\w*_[\d.]+)|DLL load failed[^\n:]*: ([^\n]*)/,
    explain: (match) => ({
      message: `A system library is missing: ${match.slice(1).find(Boolean) ?? 'see below'}.`,
      hint: 'Install it, or make the environment again for this system.',
    }),
  },
  {
    failure: 'missing-module',
    pattern: MISSING_MODULE,
    explain: (_match, evidence) => {
      const name = lastMissingModule(evidence.stderr);
      if (name === null || KERNEL_MODULES.has(name)) return null;
      return {
        message: `${program(evidence)} lacks the module \`${name}\`, which the kernel needs.`,
        hint: `Run \`${quoted(program(evidence))} -m pip install --upgrade --force-reinstall ipykernel\` and start again.`,
      };
    },
  },
  {
    failure: 'no-ipykernel',
    pattern: MISSING_MODULE,
    explain: (_match, evidence) => ({
      message: `${program(evidence)} has no ipykernel.`,
      hint: `Run \`${quoted(program(evidence))} -m pip install ipykernel\` and start again, or choose another kernel.`,
    }),
  },
  {
    failure: 'permission',
    pattern: /PermissionError: \[Errno 13\][^\n:]*(?:: '([^'\n]+)')?|Permission denied/,
    explain: ([, file]) => ({
      message: `The kernel may not read or write ${file ?? 'a file it needs'}.`,
      hint: 'Check who owns it and its access rights.',
    }),
  },
];

/** The error to throw. `message` names the cause in words; without a known one the kernel's last line speaks. */
export function startError(evidence: StartEvidence): KernelStartError {
  const { failure, message, hint } = explain(evidence);
  return new KernelStartError(failure, message, hint, evidence.stderr);
}

function explain(evidence: StartEvidence): { failure: StartFailure; message: string; hint: string } {
  const spawn = explainSpawn(evidence);
  if (spawn) return spawn;
  for (const { failure, pattern, explain: words } of KNOWN) {
    const match = evidence.stderr.match(pattern);
    const found = match && words(match, evidence);
    if (found) return { failure, ...found };
  }
  const signal = evidence.exit?.signal;
  if (signal === 'SIGILL') {
    return {
      failure: 'wrong-architecture',
      message: `${program(evidence)} uses instructions that this processor does not have.`,
      hint: 'Install a build for this machine.',
    };
  }
  if (signal) {
    return {
      failure: 'killed',
      message: `The kernel was killed by ${signal} while it started.`,
      hint: 'Check the free memory and start it again.',
    };
  }
  // At the limit a library may end the process, or wait for ever, without a word: a limit no kernel can start with is the likely cause.
  const { fileLimit } = evidence;
  if (typeof fileLimit === 'number' && fileLimit < LEAST_DESCRIPTORS) {
    const what = evidence.exit ? 'ended while it started' : 'did not get ready';
    return {
      failure: 'too-many-files',
      message: `The kernel ${what}, with a limit of open files of ${fileLimit}; a Python kernel needs about ${LEAST_DESCRIPTORS}.`,
      hint: 'Raise the limit before Cellwright is started (`ulimit -n 4096`).',
    };
  }
  const said = lastLine(evidence.stderr);
  const ended = evidence.exit ? `The kernel ended with code ${evidence.exit.code} while it started` : 'The kernel did not start';
  return {
    failure: 'unknown',
    message: said ? `${ended}: ${said}` : `${ended} and said nothing.`,
    hint: said ? 'Its full output is below; another kernel can be chosen.' : 'Try its command in a terminal, or choose another kernel.',
  };
}

function explainSpawn(evidence: StartEvidence): { failure: StartFailure; message: string; hint: string } | null {
  const { spawnCode, cwd, cwdExists } = evidence;
  switch (spawnCode) {
    case undefined:
      return null;
    case 'ENOENT':
    case 'ENOTDIR':
      if (cwdExists === false) {
        return { failure: 'no-folder', message: `The folder ${cwd} is not there.`, hint: 'Save the notebook into a folder that exists.' };
      }
      return {
        failure: 'no-program',
        message: `The kernel’s program ${program(evidence)} was not found.`,
        hint: 'Its environment was moved or deleted: choose another kernel or make it again.',
      };
    case 'EACCES':
    case 'EPERM':
      return {
        failure: 'permission',
        message: `${program(evidence)} may not be run.`,
        hint: `Make it executable (\`chmod +x\`), or choose another kernel.`,
      };
    case 'ENOEXEC':
    case 'EBADARCH':
    case 'EFTYPE':
    case 'UNKNOWN':
      return {
        failure: 'wrong-architecture',
        message: `${program(evidence)} is not a program for this machine.`,
        hint: 'Install a Python for this machine’s architecture.',
      };
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
      return {
        failure: 'too-many-files',
        message: `The system’s limit of open files or processes is reached (${spawnCode}).`,
        hint: 'Shut down kernels that are not needed, or raise the limit (`ulimit -n`, `ulimit -u`).',
      };
    default:
      return { failure: 'unknown', message: `${program(evidence)} could not be started (${spawnCode}).`, hint: 'Choose another kernel.' };
  }
}

/** A file in the traceback that is named like a standard module but is not one: it lies outside of every Python library folder. */
function shadowingFile(trace: string, cwd: string): { file: string; module: string } | null {
  const frames = [...trace.matchAll(/File "([^"\n]+)"|\(consider renaming '([^'\n]+)'|\(([^()\n]+\.py)\)/g)];
  for (const [, framed, named, inBrackets] of frames) {
    const file = framed ?? named ?? inBrackets;
    if (!file?.endsWith('.py') || !(path.isAbsolute(file) || path.win32.isAbsolute(file))) continue;
    const { dir, name } = path.parse(file.replaceAll('\\', '/'));
    const module = name === '__init__' ? path.basename(dir) : name;
    const isLibrary = LIBRARY_FOLDER.test(`${dir}/`) && !dir.startsWith(cwd);
    if (STDLIB.has(module) && !isLibrary) return { file, module };
  }
  return null;
}

function lastMissingModule(stderr: string): string | null {
  const names = [...stderr.matchAll(new RegExp(MISSING_MODULE, 'g'))].map(([, name]) => name ?? '');
  return names.at(-1)?.split('.')[0] ?? null;
}

function lastLine(text: string): string | null {
  return text.trimEnd().split('\n').at(-1)?.trim() || null;
}

function quoted(file: string): string {
  return /\s/.test(file) ? `"${file}"` : file;
}
