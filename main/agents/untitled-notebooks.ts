/**
 * Notebooks that are open in a window and have no file yet, as agents name them: by an address with the document's id, which stays right when the person
 * saves them, or by their title as long as no other one has it. The folder in which such a notebook works decides who may reach it.
 */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from './errors.ts';
import type { OwnedNotebook } from './notebook-owner.ts';
import { absolutePath, PathError, pathWithin, type Reach } from './paths.ts';

const SCHEME = 'untitled:';

export function untitledAddress(docId: string): string {
  return `${SCHEME}${docId}`;
}

/** The document's id in an address; null for what is a path. */
export function untitledId(given: string): string | null {
  return given.startsWith(SCHEME) ? given.slice(SCHEME.length) : null;
}

/** Has no file because nobody saved it yet, not because its file has a format that is not written any more. */
export function isUntitled({ document }: Pick<OwnedNotebook, 'document'>): boolean {
  return document.path === null && document.convertedFrom === null;
}

/** Those of them that the agent may reach. */
export async function reachableUntitled(opened: readonly OwnedNotebook[], reach: Reach): Promise<OwnedNotebook[]> {
  const allowed = await Promise.all(opened.map(async (notebook) => isUntitled(notebook) && (await mayReach(notebook, reach))));
  return opened.filter((_notebook, index) => allowed[index]);
}

/**
 * The open notebook that is meant by an address or by a title, null when `given` is a path. Throws ToolError when there is none or more than one, and
 * PathError when it lies outside of the agent's folders.
 */
export async function openNotebookNamed(given: string, opened: readonly OwnedNotebook[], reach: Reach): Promise<OwnedNotebook | null> {
  const id = untitledId(given);
  if (id !== null) {
    const notebook = opened.find(({ document }) => document.id === id);
    if (!notebook) throw new ToolError(`No notebook with this address is open any more. ${await known(opened, reach)}`);
    await pathWithin(placeOf(notebook, reach), reach).catch((error: unknown) => {
      throw error instanceof PathError ? new PathError(given, error.message) : error;
    });
    return notebook;
  }
  const titled = opened.filter((notebook) => isUntitled(notebook) && notebook.document.title === given);
  if (titled.length === 0 || (await isThere(absolutePath(given, reach)))) return null;
  const reachable = await reachableUntitled(titled, reach);
  if (reachable.length > 1) throw new ToolError(`More than one open notebook is called ${given}. ${await known(reachable, reach)}`);
  return reachable[0] ?? null;
}

async function known(opened: readonly OwnedNotebook[], reach: Reach): Promise<string> {
  const all = await reachableUntitled(opened, reach);
  if (all.length === 0) return 'None that has no file is open; give the path of a file.';
  return `Open ones without a file: ${all.map(({ document }) => `${untitledAddress(document.id)} (${document.title})`).join(', ')}.`;
}

async function mayReach(notebook: OwnedNotebook, reach: Reach): Promise<boolean> {
  return pathWithin(placeOf(notebook, reach), reach).then(
    () => true,
    () => false,
  );
}

/** What has to lie in the agent's folders: the file once there is one, else the folder that the notebook works in. */
function placeOf({ document }: OwnedNotebook, { home }: Reach): string {
  return document.realPath ?? document.folder ?? path.resolve(home);
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
