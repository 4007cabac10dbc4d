/** The sink against a plain model: the last bytes of everything that came, with real artifacts on a real disk. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserveSync } from '../../../main/artifacts/artifact-file.ts';
import { DEFAULT_MAX_BYTES, type OutputDump, OutputSink, truncationNotice } from '../../../main/execution/output-sink.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-sink-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function artifact(): { id: string; file: string } {
  return reserveSync(folder, 'txt', { kind: 'stream', mime: 'text/plain', createdAt: 0, source: {} });
}

async function dumpOf(chunks: readonly string[], maxBytes?: number): Promise<OutputDump> {
  const sink = new OutputSink({ ...(maxBytes === undefined ? {} : { maxBytes }), artifact });
  for (const chunk of chunks) sink.push(chunk);
  const dump = await sink.dump();
  sink.end();
  return dump;
}

/** The longest end of at most `bytes` bytes, by trying. */
function endOf(text: string, bytes: number): string {
  const characters = [...text];
  let from = characters.length;
  let size = 0;
  while (from > 0 && size + Buffer.byteLength(characters[from - 1]!) <= bytes) size += Buffer.byteLength(characters[--from]!);
  return characters.slice(from).join('');
}

const word = fc.constantFrom('a', 'word ', '\n', 'é', '数', '\u{1f600}', '\n\n', 'x'.repeat(40));
const text = fc.array(word, { maxLength: 80 }).map((words) => words.join(''));

it('keeps 51,200 bytes when nothing else is said', async () => {
  expect(DEFAULT_MAX_BYTES).toBe(51_200);
  const fits = await dumpOf(['x'.repeat(51_200)]);
  expect(fits).toMatchObject({
    truncated: false,
    outputBytes: 51_200,
    totalBytes: 51_200,
    totalLines: 1,
    outputLines: 1,
    artifactId: null,
  });
  const over = await dumpOf(['y', 'x'.repeat(51_200)]);
  expect(over).toMatchObject({ truncated: true, outputBytes: 51_200, totalBytes: 51_201, artifactId: '0', output: 'x'.repeat(51_200) });
  expect(await readFile(path.join(folder, '0.txt'), 'utf8')).toBe(`y${'x'.repeat(51_200)}`);
});

describe('properties', () => {
  it('keeps the end, counts everything and spills the whole, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 20 }), fc.integer({ min: 4, max: 64 }), async (whole, places, maxBytes) => {
        const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length));
        const dump = await dumpOf(chunks, maxBytes);
        expect(dump.output).toBe(endOf(whole, maxBytes));
        expect(dump.outputBytes).toBe(Buffer.byteLength(dump.output));
        expect(dump.totalBytes).toBe(Buffer.byteLength(whole));
        expect(dump.totalLines).toBe(whole.split('\n').length - (whole === '' || whole.endsWith('\n') ? 1 : 0));
        expect(dump.truncated).toBe(dump.output !== whole);
        expect(dump.artifactId !== null).toBe(Buffer.byteLength(whole) > maxBytes);
        if (dump.artifactId !== null) expect(await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8')).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });
});

describe('notice', () => {
  it('names the range, the total and the artifact', async () => {
    const dump = await dumpOf(
      Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`),
      80,
    );
    expect(dump.output.endsWith('line 99\nline 100\n')).toBe(true);
    const first = 100 - dump.outputLines + 1;
    expect(truncationNotice(dump)).toBe(
      `[Output truncated: showing lines ${first}-100 of 100 (${dump.outputBytes} of ${dump.totalBytes} bytes). Full output: artifact://0]`,
    );
  });

  it('is not there for a complete output, and speaks of one long line', async () => {
    expect(truncationNotice(await dumpOf(['short']))).toBeNull();
    expect(truncationNotice(await dumpOf(['x'.repeat(100)], 10))).toContain('the end of line 1 of 1 (10 of 100 bytes)');
  });
});

it('says that an artifact could not be written and keeps the end all the same', async () => {
  const sink = new OutputSink({
    maxBytes: 10,
    artifact: () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' });
    },
  });
  sink.push('0123456789');
  sink.push('abc');
  const dump = await sink.dump();
  expect(dump).toMatchObject({ output: '3456789abc', truncated: true, totalBytes: 13, artifactId: null });
  expect(truncationNotice(dump)).toContain('could not be kept: ENOSPC');
});

it('takes a flood in memory that does not grow with it', async () => {
  const sink = new OutputSink({ artifact });
  for (let line = 0; line < 300_000; line += 1) sink.push(`line ${line}\n`);
  const dump = await sink.dump();
  sink.end();
  expect(dump.totalLines).toBe(300_000);
  expect(dump.output.endsWith('line 299999\n')).toBe(true);
  const file = await readFile(path.join(folder, `${dump.artifactId}.txt`), 'utf8');
  expect(file.length).toBe(dump.totalBytes);
  expect(file.startsWith('line 0\nline 1\n')).toBe(true);
});
