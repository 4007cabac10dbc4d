/**
 * Which nbformat a file is of. 4.x opens, also minors newer than those we know; 3 and older are converted; 5 and later are refused.
 */
import { NotebookOpenError } from './errors.ts';
import { decodeJson } from './json-text.ts';
import { type NotebookFile, topMember } from './notebook-file.ts';

/** The newest minor whose schema we have. */
export const KNOWN_MINOR = 5;

export interface NotebookFormat {
  /** 0 when the file does not say. */
  minor: number;
  notices: string[];
}

/** Throws NotebookOpenError `newer-format` or `not-notebook`. Older majors must have been sorted out before. */
export function notebookFormat(file: NotebookFile): NotebookFormat {
  const major = numberAt(file, 'nbformat');
  const minor = numberAt(file, 'nbformat_minor');
  const notices: string[] = [];
  if (major === undefined) notices.push('The file does not say its nbformat version; it is read as version 4.');
  else if (major >= 5) {
    throw new NotebookOpenError(
      'newer-format',
      `The notebook is of nbformat ${major}, which this version of Cellwright does not know.`,
      'Open it with a newer version of Cellwright, or save it as nbformat 4 where it was made.',
    );
  }
  if (major !== undefined && minor === undefined) notices.push('The file does not say its nbformat minor version; it is read as 4.0.');
  if (minor !== undefined && minor > KNOWN_MINOR) {
    notices.push(`The notebook is of nbformat 4.${minor}, newer than the 4.${KNOWN_MINOR} known here; what is not known is kept as it is.`);
  }
  return { minor: minor ?? 0, notices };
}

function numberAt(file: NotebookFile, key: string): number | undefined {
  const slice = topMember(file, key);
  if (!slice) return undefined;
  const value = decodeJson(slice.bytes, slice.start, slice.end);
  if (typeof value === 'number') return value;
  throw new NotebookOpenError(
    'not-notebook',
    `The file is JSON but not a notebook. Its "${key}" is ${JSON.stringify(value)?.slice(0, 40)}, not a number.`,
    'Open it in a text editor to see what it is.',
  );
}
