/**
 * What the `python` tool is asked, and whether it makes sense. Whoever calls may be a program that guesses, so each refusal says what would be
 * right.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { KernelMode } from './agent-session.ts';

export interface PythonRequest {
  cells: readonly { code: string; title?: string }[];
  /** Seconds for the whole call, waiting and start-up included: 1 to 600, default 30. */
  timeout?: number;
  /** Absolute path. */
  cwd: string;
  /** A fresh kernel before the first cell. */
  reset?: boolean;
  /** File with the session's state; with the folder it is the session's key. */
  sessionFile?: string | null;
  /** Where long texts and images go; null keeps only what fits. */
  artifactFolder?: string | null;
  kernelMode?: KernelMode;
}

export interface CheckedRequest {
  cells: { code: string; title: string | null }[];
  timeoutSeconds: number;
  /** The folder's real path, so that two ways to it make one session. */
  cwd: string;
  reset: boolean;
  sessionFile: string | null;
  artifactFolder: string | null;
  kernelMode: KernelMode;
}

export const DEFAULT_TIMEOUT_SECONDS = 30;
export const MIN_TIMEOUT_SECONDS = 1;
export const MAX_TIMEOUT_SECONDS = 600;

/** The request can't be carried out; nothing was run. */
export class PythonRequestError extends Error {
  override name = 'PythonRequestError';
}

/** Throws PythonRequestError. */
export async function checkRequest(request: PythonRequest): Promise<CheckedRequest> {
  const { cells, timeout = DEFAULT_TIMEOUT_SECONDS, cwd, reset = false, sessionFile = null, artifactFolder = null } = request;
  if (!Array.isArray(cells) || cells.length === 0)
    throw new PythonRequestError('`cells` must be a list of at least one `{ code, title? }`.');
  cells.forEach((cell, index) => {
    if (typeof cell?.code !== 'string') throw new PythonRequestError(`\`cells[${index}].code\` must be a text.`);
  });
  if (!(timeout >= MIN_TIMEOUT_SECONDS && timeout <= MAX_TIMEOUT_SECONDS))
    throw new PythonRequestError(
      `\`timeout\` must be between ${MIN_TIMEOUT_SECONDS} and ${MAX_TIMEOUT_SECONDS} seconds, and it is ${timeout}. Split longer work into several calls.`,
    );
  return {
    cells: cells.map(({ code, title }) => ({ code, title: oneLine(title) })),
    timeoutSeconds: timeout,
    cwd: await folderOf(cwd),
    reset,
    sessionFile,
    artifactFolder,
    kernelMode: request.kernelMode ?? 'session',
  };
}

async function folderOf(cwd: string): Promise<string> {
  if (!path.isAbsolute(cwd)) throw new PythonRequestError(`\`cwd\` must be an absolute path, and it is ${cwd}.`);
  try {
    const real = await realpath(cwd);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    throw new PythonRequestError(
      `The working folder ${cwd} can’t be used (${(error as NodeJS.ErrnoException).code}). Choose another \`cwd\`.`,
      {
        cause: error,
      },
    );
  }
  throw new PythonRequestError(`The working folder ${cwd} is a file. Choose a folder as \`cwd\`.`);
}

function oneLine(title: unknown): string | null {
  return typeof title === 'string' ? title.replace(/\s+/g, ' ').trim() || null : null;
}
