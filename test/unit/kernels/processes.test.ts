import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionInfo, removeConnectionFile, writeConnectionFile } from '../../../main/kernels/direct/connection-file.ts';
import { kernelCommand } from '../../../main/kernels/direct/launch.ts';
import { PortPool } from '../../../main/kernels/direct/ports.ts';
import { listProcesses, type ProcessEntry, parsePs, parseStat } from '../../../main/kernels/direct/process-table.ts';
import { treeOf } from '../../../main/kernels/direct/process-tree.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cellwright-processes-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const entry = (pid: number, parent: number, group: number, change: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent,
  group,
  session: group,
  name: 'python',
  terminal: false,
  zombie: false,
  cpuMs: 0,
  ...change,
});

test.each<[string, ProcessEntry[], number[]]>([
  ['only itself', [entry(10, 2, 10)], [10]],
  ['its group', [entry(10, 2, 10), entry(11, 10, 10), entry(12, 11, 10)], [10, 11, 12]],
  ['a group without its leader', [entry(11, 1, 10), entry(12, 11, 10)], [11, 12]],
  ['descent through other groups', [entry(10, 2, 10), entry(11, 10, 11), entry(12, 11, 12), entry(13, 12, 11)], [10, 11, 12, 13]],
  ['children listed before their parents', [entry(13, 12, 13), entry(12, 11, 12), entry(11, 10, 11), entry(10, 2, 10)], [10, 11, 12, 13]],
  ['members of its session', [entry(10, 2, 10), entry(11, 1, 11, { session: 10 })], [10, 11]],
  ['no strangers', [entry(10, 2, 10), entry(20, 2, 20), entry(21, 20, 20)], [10]],
  ['no zombies, but their children', [entry(10, 2, 10, { zombie: true }), entry(11, 10, 11)], [11]],
  ['nothing', [entry(20, 2, 20)], []],
])('the tree is %s', (_name, table, expected) => {
  expect(treeOf(table, 10).sort()).toEqual(expected);
});

test('a line of /proc is read past a name with spaces and brackets', () => {
  const text = '4242 (a) b (c) S 1 4240 4239 34816 4242 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 0 0';
  expect(parseStat(text)).toEqual({
    entry: entry(4242, 1, 4240, { session: 4239, name: 'a) b (c', terminal: true, cpuMs: 110 }),
    start: '987654',
  });
  expect(parseStat('4242 (x) Z 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0')?.entry).toMatchObject({ zombie: true, terminal: false });
  expect(parseStat('')).toBeNull();
});

test('lines of ps are read', () => {
  expect(
    parsePs(
      '  501   1   501 Ss   ??   0:01.25 /opt/my tools/python\n  502 501   502 S+   ttys001 1-02:00:03 sh\n  503 501 501 Z ?? 75:00.00\n\n',
    ),
  ).toEqual([
    entry(501, 1, 501, { session: 0, cpuMs: 1_250 }),
    entry(502, 501, 502, { session: 0, name: 'sh', terminal: true, cpuMs: 93_603_000 }),
    entry(503, 501, 501, { session: 0, name: '', zombie: true, cpuMs: 4_500_000 }),
  ]);
});

test.runIf(process.platform === 'linux')('processes are listed with few descriptors at a time, however many there are', async () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  const children: ChildProcess[] = Array.from({ length: 60 }, () => spawn('sleep', ['100'], { stdio: 'ignore' }));
  try {
    const before = descriptors();
    let most = 0;
    let listed: ProcessEntry[] | null = null;
    const listing = listProcesses().then((entries) => {
      listed = entries;
    });
    while (!listed) {
      most = Math.max(most, descriptors());
      await new Promise(setImmediate);
    }
    await listing;
    const pids = (listed as ProcessEntry[]).map(({ pid }) => pid);
    expect(pids).toEqual(expect.arrayContaining(children.map(({ pid }) => pid)));
    expect(most - before).toBeLessThan(20);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
});

test('ports differ, also between kernels that start together, until they are given back', async () => {
  const pool = new PortPool();
  const reserved = (await Promise.all(Array.from({ length: 40 }, () => pool.reserve(5)))).flat();
  expect(new Set(reserved).size).toBe(200);
  const more = await pool.reserve(20);
  expect(more.some((port) => reserved.includes(port))).toBe(false);
  pool.release([...reserved, ...more]);
  expect(await pool.reserve(5)).toHaveLength(5);
});

test('a connection file is private, new and removed again', async () => {
  const runtime = path.join(folder, 'a', 'runtime');
  const info = connectionInfo([1, 2, 3, 4, 5], 'python3');
  const file = await writeConnectionFile(runtime, info);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(info);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(runtime)).mode & 0o777).toBe(0o700);
  expect(connectionInfo([1, 2, 3, 4, 5], 'python3').key).not.toBe(info.key);
  await removeConnectionFile(file);
  await removeConnectionFile(file);
  expect(await readdir(runtime)).toEqual([]);
  expect(() => connectionInfo([1, 2, 3, 4], 'python3')).toThrow(RangeError);
});

test('the command of a kernelspec gets its placeholders filled, without quotes', () => {
  const spec = { argv: ['/a b/python', '--file={connection_file}', '{resource_dir}/x', '{other}'], resourceDir: '/r s' } as KernelSpec;
  expect(kernelCommand(spec, '/c d.json')).toEqual(['/a b/python', '--file=/c d.json', '/r s/x', '{other}']);
});
