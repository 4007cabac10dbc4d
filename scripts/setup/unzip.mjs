/**
 * Unpacks chosen entries of a zip archive, with their modes. Only what set-up needs: no encryption, no zip64, stored or deflated.
 * Sizes are taken from the central directory, since a writer that streams leaves them out of the local headers.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

const END_RECORD = 0x06054b50;
const END_RECORD_SIZE = 22;
const MAX_COMMENT = 0xffff;
const ENTRY_RECORD = 0x02014b50;
const ENTRY_RECORD_SIZE = 46;
const LOCAL_RECORD_SIZE = 30;

/** @typedef {{ name: string, mode: number, deflated: boolean, compressedSize: number, localOffset: number }} Entry */

/**
 * Unpacks the files for which `target` gives a path (relative to `folder`); the others are left in the archive.
 * @param {string} archive
 * @param {string} folder
 * @param {(name: string) => string | undefined} target
 * @returns {Promise<number>} how many files were written
 * @throws when the archive is damaged or a target leaves the folder
 */
export async function unzip(archive, folder, target) {
  let written = 0;
  for (const entry of await readEntries(archive)) {
    const relative = entry.name.endsWith('/') ? undefined : target(entry.name);
    if (relative === undefined) continue;
    const file = path.resolve(folder, relative);
    if (!file.startsWith(path.resolve(folder) + path.sep)) throw new Error(`${archive} has an entry outside its folder: ${entry.name}`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeEntry(archive, entry, file);
    written += 1;
  }
  return written;
}

/**
 * @param {string} archive
 * @returns {Promise<Entry[]>}
 */
async function readEntries(archive) {
  const handle = await open(archive);
  try {
    const { size } = await handle.stat();
    const tail = await readAt(handle, Math.max(0, size - END_RECORD_SIZE - MAX_COMMENT), size);
    const end = tail.lastIndexOf(Buffer.from(Uint32Array.of(END_RECORD).buffer));
    if (end < 0) throw new Error(`${archive} is no complete zip archive`);
    const start = tail.readUInt32LE(end + 16);
    return parseEntries(await readAt(handle, start, start + tail.readUInt32LE(end + 12)), tail.readUInt16LE(end + 10));
  } finally {
    await handle.close();
  }
}

/**
 * @param {Buffer} directory the central directory
 * @param {number} count
 * @returns {Entry[]}
 */
function parseEntries(directory, count) {
  const entries = [];
  for (let index = 0, at = 0; index < count; index += 1) {
    if (directory.readUInt32LE(at) !== ENTRY_RECORD) throw new Error('The zip archive has a damaged directory');
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_RECORD_SIZE, at + ENTRY_RECORD_SIZE + nameLength),
      mode: (directory.readUInt32LE(at + 38) >>> 16) & 0o777,
      deflated: directory.readUInt16LE(at + 10) === 8,
      compressedSize: directory.readUInt32LE(at + 20),
      localOffset: directory.readUInt32LE(at + 42),
    });
    at += ENTRY_RECORD_SIZE + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * @param {string} archive
 * @param {Entry} entry
 * @param {string} file
 */
async function writeEntry(archive, entry, file) {
  const handle = await open(archive);
  const local = await readAt(handle, entry.localOffset, entry.localOffset + LOCAL_RECORD_SIZE).finally(() => handle.close());
  const start = entry.localOffset + LOCAL_RECORD_SIZE + local.readUInt16LE(26) + local.readUInt16LE(28);
  const mode = entry.mode || 0o644;
  // A read stream can't be asked for no bytes.
  if (entry.compressedSize === 0) return writeFile(file, '', { mode });
  const output = createWriteStream(file, { mode });
  const input = createReadStream(archive, { start, end: start + entry.compressedSize - 1 });
  await (entry.deflated ? pipeline(input, createInflateRaw(), output) : pipeline(input, output));
}

/**
 * @param {import('node:fs/promises').FileHandle} handle
 * @param {number} start
 * @param {number} end
 */
async function readAt(handle, start, end) {
  const buffer = Buffer.alloc(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  if (bytesRead !== buffer.length) throw new Error('The zip archive ends too early');
  return buffer;
}
