/**
 * One `Range` header as a part of a file (RFC 9110, section 14). Only single byte ranges: whoever asks for more gets the whole, which
 * the RFC allows. The trap is the suffix form, `bytes=-500`, which counts from the end.
 */

export interface ByteRange {
  /** First and last byte, both included. */
  start: number;
  end: number;
}

/** `whole`: no usable range was asked for. `unsatisfiable`: the answer is 416. */
export function byteRange(header: string | null, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = header === null ? null : /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
