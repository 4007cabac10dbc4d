/**
 * Addresses of the images in markdown, `output://<docId>/<cellKey>/attachment/<name>` and `output://<docId>/<cellKey>/file/<path>`: made by the
 * window, read by main. What stands in the markdown travels as one encoded part, so that nothing on the way takes a `..` in it for a step.
 */

export interface ImageAddress {
  docId: string;
  cellKey: string;
  /** A picture inside the notebook's own file, or a file beside it. */
  kind: 'attachment' | 'file';
  /** As it stands in the markdown, without `attachment:`. */
  name: string;
}

const ATTACHMENT = 'attachment:';
/** Longer than any path of a file system. */
const MAX_LENGTH = 4096;

/**
 * The address under which main serves an image that markdown names, or null for one that is neither an attachment nor relative: the web, the
 * root of the disk.
 */
export function imageAddress(docId: string, cellKey: string, written: string): string | null {
  const isAttachment = written.startsWith(ATTACHMENT);
  const name = isAttachment ? written.slice(ATTACHMENT.length) : written;
  if (name === '' || name.length > MAX_LENGTH || (!isAttachment && !isRelative(name))) return null;
  try {
    return `output://${docId}/${encodeURIComponent(cellKey)}/${isAttachment ? 'attachment' : 'file'}/${encodeURIComponent(name)}`;
  } catch {
    // Half of a surrogate pair has no encoding.
    return null;
  }
}

/** Null for anything that `imageAddress` does not make. The document's id comes back in lower case, as every host of a URL does. */
export function readImageAddress(address: string): ImageAddress | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const [, cell, kind, name, ...rest] = url.pathname.split('/');
  if (url.protocol !== 'output:' || !url.hostname || !cell || !name || rest.length > 0) return null;
  if (kind !== 'attachment' && kind !== 'file') return null;
  try {
    return { docId: url.hostname, cellKey: decodeURIComponent(cell), kind, name: decodeURIComponent(name) };
  } catch {
    return null;
  }
}

/** Neither of a scheme (or a drive of Windows) nor of a host nor from the root, and no mere place in the page. */
function isRelative(address: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|[/\\#?])/i.test(address);
}
