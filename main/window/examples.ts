/**
 * The example notebooks that the start view offers. Opening one means opening a copy of it in the profile, as a file like any other: it
 * can be changed and saved, and an unchanged one closes without a question. A copy that is there already is kept, with the person's work.
 */
import { constants, copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ActionError } from './failure.ts';

export interface Example {
  name: string;
  title: string;
  description: string;
  /** Name of the copy, which the tab shows. */
  fileName: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'welcome',
    title: 'A tour of Cellwright',
    description: 'Cells, live output, formulas, questions and errors, one cell for each',
    fileName: 'Tour of Cellwright.ipynb',
  },
  {
    name: 'plots',
    title: 'Plots and data',
    description: 'A year of weather as tables and pictures, with pandas and matplotlib',
    fileName: 'Plots and data.ipynb',
  },
];

/** The app's own file of an example, in the folder it comes with. */
export function exampleSource(name: string, folder: string): string {
  return path.join(folder, `${name}.ipynb`);
}

/** Path of the person's copy. Throws ActionError when there is no such example. */
export async function placeExample(name: string, folders: { source: string; copies: string }): Promise<string> {
  const example = EXAMPLES.find((one) => one.name === name);
  if (!example) throw new ActionError('no-such-example', 'There is no such example.');
  const copy = path.join(folders.copies, example.fileName);
  await mkdir(folders.copies, { recursive: true });
  await copyFile(exampleSource(name, folders.source), copy, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return copy;
}
