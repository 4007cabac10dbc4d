/** Journals that a power cut or a full disk has damaged, and two processes at one profile: no start is stopped, and nothing whole is lost. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeRecords, encodeRecords, type JournalRecord } from '../../../../main/documents/journal/records.ts';
import { code, notebook, temporaryFolder, usual } from '../temporary-folder.ts';
import {
  copied,
  crash,
  endSessions,
  journaled,
  journalFolders,
  keptFolders,
  nextStart,
  recordsIn,
  session,
  sources,
  type as typeIn,
  until,
} from './profile.ts';

const folder = temporaryFolder();
afterEach(endSessions);
const profile = (): string => folder.path('profile');

async function typed(...texts: string[]): Promise<string> {
  const store = session(profile()).store;
  const document = await store.open(folder.write('a.ipynb', usual(notebook([code(['start'])]))));
  for (const text of texts) {
    typeIn(document, 0, text);
    await journaled(profile(), text);
  }
  await copied(profile());
  return journalFolders(profile())[0]!;
}

async function bytesOf(records: readonly JournalRecord[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of encodeRecords(records)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('the end of a journal', () => {
  const records: JournalRecord[] = [
    { t: 'cell', key: 'a', source: 'line\nbreak \u2028 and \ud800 alone' },
    { t: 'order', keys: ['a', 'b'] },
    { t: 'mark', save: 1 },
  ];

  it('may be cut at any byte: what was written together before it is read, and nothing of what was cut', async () => {
    const groups = [records, [{ t: 'cell', key: 'b', source: 'more' } as const], records.slice(0, 2)];
    const encoded = await Promise.all(groups.map(bytesOf));
    const whole = Buffer.concat(encoded);
    const ends = encoded.map((_bytes, index) => Buffer.concat(encoded.slice(0, index + 1)).length);
    for (let length = 0; length <= whole.length; length += 1) {
      const expected = groups.filter((_group, index) => ends[index]! <= length).flat();
      expect(await decodeRecords(whole.subarray(0, length))).toEqual(expected);
    }
  });

  it('may be cut between the pieces that a large group is written in', async () => {
    const long = Array.from({ length: 5 }, (_value, index): JournalRecord => ({ t: 'cell', key: `${index}`, source: 'x'.repeat(900_000) }));
    const pieces: Buffer[] = [await bytesOf(records)];
    for await (const piece of encodeRecords(long)) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(2);
    for (let count = 1; count < pieces.length; count += 1)
      expect(await decodeRecords(Buffer.concat(pieces.slice(0, count)))).toEqual(records);
    expect(await decodeRecords(Buffer.concat(pieces))).toEqual([...records, ...long]);
  });

  it('may hold anything: what carries no checksum of its own is not read', async () => {
    const whole = await bytesOf(records);
    for (const tail of [Buffer.alloc(4096), Buffer.from('{"t":"mark","save":9}\n'), Buffer.from('00000000 {}\n'), Buffer.from('\n\n')]) {
      expect(await decodeRecords(Buffer.concat([whole, tail]))).toEqual(records);
    }
  });

  it('with one bit wrong is cut there', async () => {
    const whole = await bytesOf(records);
    for (let at = 0; at < whole.length; at += 1) {
      const wrong = Buffer.from(whole);
      wrong[at]! ^= 4;
      const read = await decodeRecords(wrong);
      expect(records.slice(0, read.length)).toEqual(read);
      expect(read.length).toBeLessThan(records.length);
    }
  });
});

describe('a damaged journal', () => {
  it('gives back what is whole of it', async () => {
    const left = await typed('first', 'second');
    const file = join(left, 'changes.log');
    appendFileSync(file, '12345678 {"t":"cell","key":"x","sour');
    crash(profile());
    expect(sources((await nextStart(profile())).recovered[0]!.document)).toEqual(['second']);
  });

  it.each([
    ['empty', (file: string) => truncateSync(file, 0)],
    ['zeros', (file: string) => writeFileSync(file, Buffer.alloc(10_000))],
    ['no text', (file: string) => writeFileSync(file, Buffer.from([255, 254, 10, 0, 10]))],
    ['cut in its first line', (file: string) => truncateSync(file, 30)],
  ])('that is %s stops no start and is kept', async (_what, damage) => {
    const left = await typed('lost');
    damage(join(left, 'changes.log'));
    crash(profile());
    expect((await nextStart(profile())).recovered).toEqual([]);
    expect(keptFolders(profile())).toHaveLength(1);
  });

  it('without its copy of the contents gives back the changed cells when the file is another', async () => {
    const left = await typed('mine');
    for (const name of readdirSync(left)) if (name.startsWith('base-')) rmSync(join(left, name));
    const records = (await recordsIn(left)).filter((record) => record.t !== 'base');
    writeFileSync(join(left, 'changes.log'), await bytesOf(records));
    folder.write('a.ipynb', usual(notebook([code(['theirs'])])));
    crash(profile());
    const { document } = (await nextStart(profile())).recovered[0]!;
    expect([document.path, document.title, sources(document)]).toEqual([null, 'a (recovered).ipynb', ['mine']]);
  });

  it('is not read when another version of Cellwright wrote it, and is kept', async () => {
    const left = await typed('newer');
    const [head, ...rest] = await recordsIn(left);
    writeFileSync(join(left, 'changes.log'), await bytesOf([{ ...(head as JournalRecord & { t: 'head' }), version: 99 }, ...rest]));
    crash(profile());
    expect((await nextStart(profile())).recovered).toEqual([]);
    expect(keptFolders(profile())).toHaveLength(1);
  });

  it('beside files that are no journals stops no start', async () => {
    mkdirSync(profile());
    writeFileSync(join(profile(), 'a file'), 'x');
    mkdirSync(join(profile(), 'a folder'));
    expect((await nextStart(profile())).recovered).toEqual([]);
  });
});

describe('two processes at one profile', () => {
  it('leave each other’s journals alone', async () => {
    await typed('mine');
    const other = await nextStart(profile());
    expect(other.recovered).toEqual([]);
    expect(journalFolders(profile())).toHaveLength(1);
  });

  it('that start at once restore a journal once', async () => {
    await typed('once');
    crash(profile());
    const starts = await Promise.all(Array.from({ length: 5 }, () => nextStart(profile())));
    expect(starts.flatMap((start) => start.recovered.map((each) => sources(each.document)))).toEqual([['once']]);
  });
});

describe('a folder that can’t be written', () => {
  it('is said once, and typing and saving go on', async () => {
    writeFileSync(profile(), 'a file where the folder should be');
    const { store } = session(profile());
    const document = await store.open(folder.write('a.ipynb', usual(notebook([code(['start'])]))));
    const other = store.create({ folder: folder.path() });
    typeIn(document, 0, 'typed');
    await until(() => document.notices.length === 1);
    typeIn(other, 0, 'typed');
    typeIn(document, 0, 'typed on');
    await document.save();
    expect(folder.json().cells[0]!.source).toEqual(['typed on']);
    expect([document.notices.length, other.notices.length]).toEqual([1, 0]);
    expect(document.notices[0]).toContain('save from time to time');
  });

  it('that can be written again gets everything', async () => {
    writeFileSync(profile(), 'a file where the folder should be');
    const { store } = session(profile());
    const document = await store.open(folder.write('a.ipynb', usual(notebook([code(['start'])]))));
    typeIn(document, 0, 'typed');
    await until(() => document.notices.length === 1);
    rmSync(profile());
    await journaled(profile(), 'typed');
  });
});

it('journals are for their owner’s eyes alone', async () => {
  const left = await typed('secret');
  const modes = [profile(), left, ...readdirSync(left).map((name) => join(left, name))].map((path) => statSync(path).mode & 0o777);
  expect(modes.every((mode) => (mode & 0o077) === 0)).toBe(true);
});

it('a journal that grew is written anew and says the same', async () => {
  const { store } = session(folder.path('other'));
  const document = await store.open(folder.write('a.ipynb', usual(notebook([code(['start'])]))));
  const key = document.keys()[0]!;
  const journal = (): string => join(journalFolders(folder.path('other'))[0]!, 'changes.log');
  const line = 'x'.repeat(600_000);
  let most = 0;
  for (let round = 0; round < 10; round += 1) {
    document.beginRun(key, 'start');
    document.applyOutputs(key, [{ op: 'append', output: { type: 'stream', name: 'stdout', text: `${line}${round}` } }]);
    await journaled(folder.path('other'), `x${round}"`.slice(0, -1));
    most = Math.max(most, readFileSync(journal()).length);
  }
  expect(most).toBeLessThan(4_200_000);
  crash(folder.path('other'));
  const again = (await nextStart(folder.path('other'))).recovered[0]!.document;
  expect(again.outputs(again.keys()[0]!)).toEqual(document.outputs(key));
});
