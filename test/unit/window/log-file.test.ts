import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorFields, logLine } from '../../../main/log/log.ts';
import { LogFile } from '../../../main/log/log-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-log-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function lines(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a log line', () => {
  it('is one line of JSON whatever the values hold', () => {
    const line = logLine(new Date(0), 'info', 'kernel.started', { path: 'a\nb', pid: 7 });
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toEqual({ time: '1970-01-01T00:00:00.000Z', level: 'info', event: 'kernel.started', path: 'a\nb', pid: 7 });
  });

  it('cuts a long value, so that a source that got in by mistake does not stay', () => {
    const { text } = JSON.parse(logLine(new Date(0), 'info', 'x', { text: 'secret '.repeat(1000) })) as { text: string };
    expect(text.length).toBeLessThan(600);
    expect(text).toContain('7000 characters');
  });

  it('never lets a field replace time, level or event', () => {
    expect(JSON.parse(logLine(new Date(0), 'warn', 'x', { level: 'info' }))).toMatchObject({ level: 'warn', level_: 'info' });
  });

  it('tells an error by name, message, cause and frames', () => {
    const fields = errorFields(new TypeError('no', { cause: new Error('why') }));
    expect(fields).toMatchObject({ error: 'TypeError', message: 'no', cause: 'Error: why' });
    expect(fields.stack).toMatch(/^at /);
    expect(errorFields('text')).toEqual({ error: 'text' });
  });
});

describe('the log file', () => {
  it('keeps the order of the lines and leaves out what is below the level', async () => {
    const log = new LogFile({ folder, level: 'info' });
    log.debug('hidden');
    for (let number = 0; number < 100; number += 1) log.info('line', { number });
    log.error('last');
    await log.flush();
    const written = await lines(log.file);
    expect(written.map((line) => line.number ?? line.event)).toEqual([...Array(100).keys(), 'last']);
  });

  it('appends to what an earlier start wrote', async () => {
    for (const start of [1, 2]) {
      const log = new LogFile({ folder });
      log.info('start', { start });
      await log.flush();
    }
    expect(await lines(path.join(folder, 'cellwright.log'))).toHaveLength(2);
  });

  it('is readable by its owner only', async () => {
    const log = new LogFile({ folder });
    log.info('x');
    await log.flush();
    expect((await stat(log.file)).mode & 0o077).toBe(0);
  });

  it('rotates by size and keeps a fixed number of files', async () => {
    const log = new LogFile({ folder, maxFileBytes: 1000, keptFiles: 2 });
    for (let number = 0; number < 60; number += 1) {
      log.info('line', { number, filler: 'x'.repeat(100) });
      await log.flush();
    }
    expect((await readdir(folder)).sort()).toEqual(['cellwright.log', 'cellwright.log.1', 'cellwright.log.2']);
    for (const name of await readdir(folder)) expect((await stat(path.join(folder, name))).size).toBeLessThanOrEqual(1000);
    const numbers = [...(await lines(`${log.file}.2`)), ...(await lines(`${log.file}.1`)), ...(await lines(log.file))].map(
      (line) => line.number as number,
    );
    expect(numbers.at(-1)).toBe(59);
    expect(numbers).toEqual(Array.from(numbers, (_, index) => numbers[0]! + index));
  });

  it('goes on after a folder that could not be written, and says how much is missing', async () => {
    const blocked = path.join(folder, 'blocked');
    await writeFile(blocked, '');
    const log = new LogFile({ folder: blocked });
    log.info('lost');
    await log.flush();
    await rm(blocked);
    log.info('kept');
    await log.flush();
    const written = await lines(log.file);
    expect(written.map((line) => line.event)).toEqual(['kept', 'log.dropped']);
    expect(written[1]).toMatchObject({ lines: 1 });
  });
});
