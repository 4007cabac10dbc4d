/** Spilled payloads: whatever a payload is, it can be made again exactly from its file. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EncodedPayload, encodeLarge, extensionFor, harmless, PAYLOAD_LIMIT } from '../../../main/execution/payloads.ts';

/** What a reader does with the file, by the meaning of `encoding` in the protocol. */
function decode({ bytes, encoding }: EncodedPayload): unknown {
  if (encoding === 'json') return JSON.parse(bytes.toString());
  if (encoding === 'utf8') return bytes.toString();
  return bytes.toString('base64') + (encoding === 'base64-lf' ? '\n' : '');
}

const SIZE = PAYLOAD_LIMIT + 16;
const image = Buffer.alloc(SIZE, 'image bytes').toString('base64');

describe('large payloads', () => {
  it.each<[string, string, unknown, EncodedPayload['encoding']]>([
    ['an image', 'image/png', image, 'base64'],
    ['an image with a line feed behind', 'image/png', `${image}\n`, 'base64-lf'],
    ['an image in lines', 'image/png', image.replace(/.{76}/g, '$&\n'), 'utf8'],
    ['an image with two line feeds', 'image/png', `${image}\n\n`, 'utf8'],
    ['an image that is no base64', 'image/png', '-'.repeat(SIZE), 'utf8'],
    ['a picture in text', 'image/svg+xml', `<svg>${'x'.repeat(SIZE)}</svg>`, 'utf8'],
    ['text that looks like base64', 'text/plain', image, 'utf8'],
    ['text with half a character', 'text/html', `\ud800${'x'.repeat(SIZE)}`, 'json'],
    ['a list of lines', 'text/plain', Array.from({ length: 100_000 }, () => 'a line\n'), 'json'],
    ['JSON', 'application/json', { rows: Array.from({ length: 100_000 }, (_, row) => ({ row })) }, 'json'],
    ['a document', 'application/pdf', image, 'base64'],
  ])('%s comes back as it was', (_name, mime, payload, encoding) => {
    const encoded = encodeLarge(mime, payload);
    expect(encoded?.encoding).toBe(encoding);
    expect(decode(encoded!)).toEqual(payload);
  });

  it('come back whatever is at their end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom('image/png', 'text/plain', 'application/json'),
        (end, mime) => {
          const payload = image + end;
          expect(decode(encodeLarge(mime, payload)!)).toBe(payload);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('that look like a note of ours are never taken for one, whatever their size', () => {
    const payload = { $artifact: '0', file: '/etc/passwd', bytes: 1, encoding: 'utf8' };
    expect(decode(encodeLarge('application/json', payload)!)).toEqual(payload);
    // Where there is no artifact to put them in.
    expect(harmless(payload)).toBe(JSON.stringify(payload));
    for (const other of [null, 'text', 5, [], { artifact: '0' }]) expect(harmless(other)).toBe(other);
  });

  it('are those above the limit', () => {
    expect(encodeLarge('text/plain', 'x'.repeat(PAYLOAD_LIMIT))).toBeNull();
    expect(encodeLarge('text/plain', 'x'.repeat(PAYLOAD_LIMIT + 1))).not.toBeNull();
    for (const payload of [null, true, 5, '', {}, []]) expect(encodeLarge('application/json', payload)).toBeNull();
  });
});

it.each([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['text/html', 'html'],
  ['application/vnd.plotly.v1+json', 'data'],
  ['image/../../x', 'data'],
  ['video/mp4', 'mp4'],
])('%s has the extension %s', (mime, extension) => {
  expect(extensionFor(mime)).toBe(extension);
});
