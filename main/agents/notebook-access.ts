/**
 * The way from a path that an agent gave to a notebook it may work with, in the order in which things can be wrong: the path, the folders, the
 * file. A notebook that has no file yet is found among the open ones. And the addresses of what lies in the notebook's artifact folder.
 */
import path from 'node:path';
import type { OwnedNotebook } from './notebook-owner.ts';
import { notebookPath } from './paths.ts';
import type { ToolContext } from './tool.ts';
import { openNotebookNamed, untitledAddress } from './untitled-notebooks.ts';

/** A call plans and then acts: what its plan saw of the file a moment ago counts, unless a person was asked in between. */
const JUST_MS = 50;
/** Files that each call has looked at, and when. */
const lookedAt = new WeakMap<ToolContext, Map<string, number>>();

export interface Reached {
  /** Real path; of a notebook that had no file when it was asked for, its address. */
  path: string;
  /** As a person reads it: the path, or the title of one without a file. */
  shownPath: string;
  notebook: OwnedNotebook;
  /** Address of an artifact of this notebook. */
  address(id: string): string;
}

/** Does the work with the notebook, which stays open meanwhile. Throws PathError, ToolError, NotebookOpenError. */
export async function withNotebook<T>(given: string, context: ToolContext, work: (reached: Reached) => Promise<T>): Promise<T> {
  const open = await openNotebookNamed(given, context.workspace.opened(), context.reach);
  const real = open ? untitledAddress(open.document.id) : await notebookPath(given, context.reach);
  const looks = lookedAt.get(context) ?? new Map<string, number>();
  lookedAt.set(context, looks);
  const lookAtFile = performance.now() - (looks.get(real) ?? Number.NEGATIVE_INFINITY) > JUST_MS;
  const begin = performance.now();
  const reached = async (notebook: OwnedNotebook): Promise<T> => {
    if (lookAtFile) looks.set(real, begin);
    const name = path.basename(notebook.artifactFolder);
    context.agent.artifactFolders.set(name, notebook.artifactFolder);
    const shownPath = open ? notebook.document.title : real;
    return work({ path: real, shownPath, notebook, address: (id) => `artifact://${name}/${id}` });
  };
  return context.workspace.use(real, reached, { lookAtFile });
}
