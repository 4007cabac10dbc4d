/**
 * The way from a path that an agent gave to a notebook it may work with, in the order in which things can be wrong: the path, the folders, the
 * file. And the addresses of what lies in the notebook's artifact folder.
 */
import path from 'node:path';
import type { OwnedNotebook } from './notebook-owner.ts';
import { notebookPath } from './paths.ts';
import type { ToolContext } from './tool.ts';

export interface Reached {
  /** Real path. */
  path: string;
  notebook: OwnedNotebook;
  /** Address of an artifact of this notebook. */
  address(id: string): string;
}

/** Does the work with the notebook, which stays open meanwhile. Throws PathError, NotebookOpenError. */
export async function withNotebook<T>(given: string, context: ToolContext, work: (reached: Reached) => Promise<T>): Promise<T> {
  const real = await notebookPath(given, context.reach);
  return context.workspace.use(real, async (notebook) => {
    const name = path.basename(notebook.artifactFolder);
    context.agent.artifactFolders.set(name, notebook.artifactFolder);
    return work({ path: real, notebook, address: (id) => `artifact://${name}/${id}` });
  });
}
