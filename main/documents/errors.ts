/**
 * What can go wrong with a notebook file, in words for the person: what happened, what to do, and a code that programs can tell apart.
 */

export type OpenErrorCode =
  | 'not-found'
  | 'not-readable'
  | 'is-folder'
  | 'not-file'
  | 'too-large'
  | 'bad-json'
  | 'conflict-markers'
  | 'not-notebook'
  | 'newer-format'
  /** Another program put a file of another format or encoding in the place of an open notebook. */
  | 'other-format';

export type SaveErrorCode =
  /** Never saved yet: needs a path. */
  | 'untitled'
  | 'read-only'
  | 'no-permission'
  | 'no-space'
  | 'folder-gone'
  /** Another program deleted the file, and nobody has said that it is to be written again. */
  | 'gone'
  | 'is-folder'
  | 'not-file'
  | 'bad-name'
  /** The file was changed by another program since it was read. */
  | 'conflict'
  /** The file is open as another document. */
  | 'already-open'
  | 'write-failed';

/** What the window shows: one sentence each; `detail` may be longer. */
interface Words {
  hint: string;
  detail: string | undefined;
}

export class NotebookOpenError extends Error implements Words {
  override readonly name = 'NotebookOpenError';
  readonly code: OpenErrorCode;
  readonly hint: string;
  readonly detail: string | undefined;

  constructor(code: OpenErrorCode, message: string, hint: string, options: { detail?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = hint;
    this.detail = options.detail;
  }
}

export class NotebookSaveError extends Error implements Words {
  override readonly name = 'NotebookSaveError';
  readonly code: SaveErrorCode;
  readonly hint: string;
  readonly detail: string | undefined;
  /** Keys of the cells that alone were left out of a save; null when nothing was saved. */
  readonly leftOut: ReadonlySet<string> | null;

  constructor(
    code: SaveErrorCode,
    message: string,
    hint: string,
    options: { detail?: string; cause?: unknown; leftOut?: ReadonlySet<string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = hint;
    this.detail = options.detail;
    this.leftOut = options.leftOut ?? null;
  }
}

/** The `code` of a failed system call, e.g. `ENOENT`; null for other errors. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : null;
}
