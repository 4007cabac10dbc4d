/**
 * The addresses of outputs, `output://<docId>/<cellKey>/<index>.<revision>/<mime>`, made and read in one place. The revision names one
 * content for good: when an output is replaced it gets a new address, so a page or an image cache can never show the old one.
 */

export interface OutputAddress {
  docId: string;
  cellKey: string;
  index: number;
  revision: number;
  mime: string;
}

export function outputAddress({ docId, cellKey, index, revision, mime }: OutputAddress): string {
  return `output://${docId}/${encodeURIComponent(cellKey)}/${index}.${revision}/${encodeURIComponent(mime)}`;
}

/** Null for anything that `outputAddress` does not make. The document's id comes back in lower case, as every host of a URL does. */
export function readOutputAddress(address: string): OutputAddress | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const [, cell, place, type, ...rest] = url.pathname.split('/');
  const numbers = /^(\d{1,9})\.(\d{1,9})$/.exec(place ?? '');
  if (url.protocol !== 'output:' || !url.hostname || !cell || !type || !numbers || rest.length > 0) return null;
  try {
    return {
      docId: url.hostname,
      cellKey: decodeURIComponent(cell),
      index: Number(numbers[1]),
      revision: Number(numbers[2]),
      mime: decodeURIComponent(type),
    };
  } catch {
    return null;
  }
}
