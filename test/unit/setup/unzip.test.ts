/** Unpacking, on archives that Python's zipfile wrote: contents, modes, the choice of entries, and archives that must be refused. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unzip } from '../../../scripts/setup/unzip.mjs';
import { testPython } from '../../support/python.ts';

const LARGE = 300_000;

const MAKE = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    def add(name, data, mode, how):
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = how
        z.writestr(info, data)
    add('app/', b'', 0o40755, zipfile.ZIP_STORED)
    add('app/program', b'#!/bin/sh\\n' + b'x' * ${LARGE}, 0o100755, zipfile.ZIP_DEFLATED)
    add('app/locales/de.pak', bytes(range(256)), 0o100644, zipfile.ZIP_STORED)
    add('app/empty', b'', 0o100644, zipfile.ZIP_DEFLATED)
    add('app/resources/left-out.js', b'no', 0o100644, zipfile.ZIP_DEFLATED)
    z.comment = b'a comment at the end'
`;

let folder: string;
let archive: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-unzip-'));
  archive = path.join(folder, 'a.zip');
  execFileSync(testPython(), ['-c', MAKE, archive]);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it('unpacks what is chosen, under the name that is given, with its mode', async () => {
  const out = path.join(folder, 'out');
  const written = await unzip(archive, out, (name) => (name.includes('/resources/') ? undefined : name.replace('app/program', 'electron')));
  expect(written).toBe(3);
  expect((await readFile(path.join(out, 'electron'))).length).toBe(LARGE + 10);
  expect((await stat(path.join(out, 'electron'))).mode & 0o777).toBe(0o755);
  expect([...(await readFile(path.join(out, 'app/locales/de.pak')))]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
  expect((await stat(path.join(out, 'app/empty'))).size).toBe(0);
  await expect(stat(path.join(out, 'app/resources'))).rejects.toThrow('ENOENT');
});

it('never writes outside its folder', async () => {
  const out = path.join(folder, 'out');
  await expect(unzip(archive, out, () => '../escaped')).rejects.toThrow('outside its folder');
  await expect(stat(path.join(folder, 'escaped'))).rejects.toThrow('ENOENT');
});

it('refuses an archive that is cut short', async () => {
  const { size } = await stat(archive);
  await truncate(archive, size - 100);
  await expect(unzip(archive, path.join(folder, 'out'), (name) => name)).rejects.toThrow('no complete zip archive');
});

it('refuses what is no archive', async () => {
  await writeFile(archive, 'PK is not enough');
  await expect(unzip(archive, path.join(folder, 'out'), (name) => name)).rejects.toThrow('no complete zip archive');
});
