/**
 * From a thrown error to what the person is told. Typed errors of the other parts already end in what to do and pass as they are; the file
 * system's own get a sentence; anything else is a defect of ours, whose stack goes to the log and never to the window.
 */
import type { Failure } from '../../preload/contract.ts';

/** Thrown by this folder's own handlers when the person can act on it. */
export class ActionError extends Error {
  override name = 'ActionError';
  readonly code: string;
  readonly hint: string;
  readonly detail: string | undefined;
  constructor(code: string, message: string, hint = '', detail?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.detail = detail;
  }
}

const FILE_SYSTEM: Readonly<Record<string, { message: string; hint: string }>> = {
  ENOENT: { message: 'The file or folder does not exist.', hint: 'Check whether it was moved or renamed.' },
  ENOTDIR: { message: 'A part of the path is a file and not a folder.', hint: 'Check the path.' },
  EISDIR: { message: 'This is a folder and not a file.', hint: 'Choose a file in it.' },
  EACCES: { message: 'The system refuses access.', hint: 'Change its permissions, or choose another place.' },
  EPERM: { message: 'The system does not permit this.', hint: 'Change its permissions, or choose another place.' },
  EROFS: { message: 'This disk is read-only.', hint: 'Save in another place.' },
  ENOSPC: { message: 'The disk is full.', hint: 'Free some space and try again.' },
  EDQUOT: { message: 'Your share of this disk is used up.', hint: 'Free some space and try again.' },
  EMFILE: { message: 'Too many files are open.', hint: 'Shut down kernels that you do not need and try again.' },
  ENFILE: { message: 'Too many files are open on this system.', hint: 'Close other programs and try again.' },
  EBUSY: { message: 'Another program is using the file.', hint: 'Close it there and try again.' },
};

/** `unexpected` says that the error is ours and belongs in the log. */
export function toFailure(error: unknown): { failure: Failure; unexpected: boolean } {
  if (isActionable(error)) {
    const detail = text(error.detail) ?? text(error.stderrTail);
    const failure: Failure = { message: error.message, hint: text(error.hint) ?? '', code: text(error.code) ?? kebab(error.name) };
    return { failure: detail ? { ...failure, detail } : failure, unexpected: false };
  }
  const known = error instanceof Error ? FILE_SYSTEM[(error as NodeJS.ErrnoException).code ?? ''] : undefined;
  if (known) {
    const { code = '', path } = error as NodeJS.ErrnoException;
    return { failure: { ...known, code: code.toLowerCase(), ...(path ? { detail: path } : {}) }, unexpected: false };
  }
  return {
    failure: {
      message: 'That did not work because of a fault in Cellwright.',
      hint: 'Your notebook is unchanged. The log says more.',
      code: 'internal',
    },
    unexpected: true,
  };
}

interface Actionable extends Error {
  code?: unknown;
  hint?: unknown;
  detail?: unknown;
  stderrTail?: unknown;
}

/** The typed errors of this program carry a `hint`; those of the kernels are known by name, too, since they may come over from the host. */
function isActionable(error: unknown): error is Actionable {
  if (!(error instanceof Error)) return false;
  return 'hint' in error || /^(Kernel|Notebook|Host|Agent)\w*Error$/.test(error.name);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `KernelStartError` → `kernel-start`. */
function kebab(name: string): string {
  return name
    .replace(/Error$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase();
}
