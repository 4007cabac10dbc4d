/**
 * A machine that has no more of something: disk, ports, descriptors. The disk is a small one of its own where this process may mount it; ports
 * are taken between the kernel's choice and its bind, as another program would.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { StreamOutput } from '../../../preload/output-change.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { testPython } from '../../support/python.ts';
import { must, output, quoted, stillWorks, until } from './checks.ts';
import type { Attempt, FaultKind, Outcome } from './tries.ts';

const run = promisify(execFile);

/** Gives the body a disk that holds this much and no more. */
async function onSmallDisk(kilobytes: number, body: (disk: string) => Promise<void>): Promise<void> {
  const disk = await mkdtemp(path.join(tmpdir(), 'cellwright-disk-'));
  try {
    must(mount(disk, kilobytes), 'The disk could not be mounted.');
    await body(disk);
  } finally {
    // Lazily: a file that is still being closed would hold it.
    spawnSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

function mount(folder: string, kilobytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]).status === 0;
}

function lacksMount(): string | null {
  const folder = path.join(tmpdir(), `cellwright-probe-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const mounted = mount(folder, 64);
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return mounted ? null : 'this process may not mount a disk';
}

/** A stream outgrows the disk of its artifact: the end is there, and the output says why the rest isn't. */
async function fullArtifacts({ random, open }: Attempt): Promise<Outcome> {
  await onSmallDisk(random.between(0, 40) * 100 + 64, async (disk) => {
    const scene = open({ artifactFolder: path.join(disk, 'artifacts') });
    const { status, key } = await output(scene, 'for n in range(600_000): print("a line", n)\nprint("END")');
    must(status === 'ok', `The run ended ${status}.`);
    const stream = () => scene.notebook.cell(key)!.outputs[0] as StreamOutput;
    await until(() => stream().omitted?.failure !== undefined);
    must(/ENOSPC/.test(stream().omitted?.failure ?? ''), `The words are ${stream().omitted?.failure}.`);
    must(stream().omitted?.artifactId === null, 'There is an artifact for what is not on the disk.');
    must(stream().text.endsWith('a line 599999\nEND\n'), `The end is ${quoted(stream().text.slice(-40))}.`);
    await stillWorks(scene);
    await scene.session.shutdown();
  });
  return 'error';
}

/** A payload that is too large for the disk travels as it is. */
async function fullForPayload({ random, open }: Attempt): Promise<Outcome> {
  await onSmallDisk(64, async (disk) => {
    const scene = open({ artifactFolder: path.join(disk, 'artifacts') });
    const size = random.between(2, 6) * 1_000_000;
    const { status, key } = await output(scene, `from IPython.display import display\ndisplay({"text/plain": "x" * ${size}}, raw=True)`);
    must(status === 'ok', `The run ended ${status}.`);
    const [shown] = scene.notebook.cell(key)!.outputs;
    must(shown?.type === 'display_data' && shown.data['text/plain'] === 'x'.repeat(size), 'The payload is not whole.');
    await stillWorks(scene);
    await scene.session.shutdown();
  });
  return 'right';
}

/** No connection file can be written; when there is room again, the next run works. */
async function fullRuntimeFolder({ ground, open }: Attempt): Promise<Outcome> {
  const scene = open();
  must(mount(ground.runtimeFolder, 4), 'The disk could not be mounted.');
  try {
    const ballast = path.join(ground.runtimeFolder, 'ballast');
    fill(ballast);
    const key = scene.notebook.code('print(1)');
    const { status } = await scene.session.runCells([key]);
    const { message } = scene.session.kernelView();
    must(status === 'cancelled', `The run ended ${status}.`);
    must(/connection file can’t be written.*ENOSPC.*Free some space/.test(message ?? ''), `The words are ${message}.`);
    rmSync(ballast);
    await stillWorks(scene);
    await scene.session.shutdown();
  } finally {
    spawnSync('umount', ['--lazy', ground.runtimeFolder]);
  }
  return 'error';
}

/** Fills the disk to its last byte. */
function fill(file: string): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      must((error as NodeJS.ErrnoException).code === 'ENOSPC', String(error));
    }
  }
}

/** Takes ports of the kernels that are about to start, `times` times, as soon as their connection file is there. Gives what frees them. */
async function takePorts(folder: string, port: string, times: number, over: () => boolean): Promise<() => void> {
  const taken: (() => void)[] = [];
  const seen = new Set<string>();
  while (!over() && taken.length < times) {
    for (const name of readdirSync(folder).filter((file) => file.startsWith('kernel-') && !seen.has(file))) {
      const info = JSON.parse(readFileSync(path.join(folder, name), 'utf8') || 'null') as Record<string, number> | null;
      if (!info) continue;
      seen.add(name);
      const callers = new Set<Socket>();
      const server = createServer((caller) => void callers.add(caller.on('error', () => {})));
      await new Promise<void>((resolve) => server.once('error', () => resolve()).listen(info[port], '127.0.0.1', resolve));
      taken.push(() => {
        server.close();
        for (const caller of callers) caller.destroy();
      });
    }
    await delay(2);
  }
  return () => {
    for (const free of taken) free();
  };
}

/** Once or twice is bad luck that the start gets round; for ever is an error with its name. */
async function portsTaken({ ground, random, open }: Attempt): Promise<Outcome> {
  const scene = open();
  const times = random.pick([1, 2, 100]);
  let over = false;
  const port = random.pick(['shell_port', 'iopub_port', 'stdin_port', 'control_port', 'hb_port']);
  const key = scene.notebook.code('print(1)');
  const taking = takePorts(ground.runtimeFolder, port, times, () => over);
  const { status } = await scene.session.runCells([key]);
  over = true;
  const { message } = scene.session.kernelView();
  (await taking)();
  if (times < 100) must(status === 'ok' && scene.notebook.text(key) === '1\n', `${port} taken ${times} times: ${status}, ${message}`);
  // The kernel may have been the faster one.
  else if (status !== 'ok') must(/took one of the kernel’s ports/.test(message ?? ''), `${port}: the words are ${message}.`);
  await stillWorks(scene);
  return status === 'ok' ? 'right' : 'error';
}

/** A process of its own with few descriptors starts kernels until it can't: an exact error, and all is well again with fewer kernels. */
async function fewDescriptors({ ground, random }: Attempt): Promise<Outcome> {
  // What a kernel needs for itself and its code is there, so that it is this program that runs out.
  const limit = random.between(80, 128);
  const told = await startUntilFull(ground.folder, limit);
  must(/limit of open files/.test(told.message), `With ${limit} descriptors and ${told.started} kernels the words are ${told.message}.`);
  must(told.again, `With ${limit} descriptors nothing works after ${told.started - 1} kernels were shut down: ${told.message}`);
  must(told.hosts === 1, `The kernel host ended ${told.hosts - 1} times.`);
  must(told.left.length === 0, `In the runtime folder are left: ${told.left.join(', ')}`);
  must(told.descriptors <= 0, `${told.descriptors} descriptors are left.`);
  return 'error';
}

/** Fewer than one kernel needs for itself, which may end or wait without a word: the error says how many there are and how many it takes. */
async function tooFewDescriptors({ ground, random }: Attempt): Promise<Outcome> {
  const limit = random.between(44, 52);
  const { started, message } = await startUntilFull(ground.folder, limit);
  must(started === 0, `With ${limit} descriptors ${started} kernels started.`);
  must(/limit of open files|Too many open files/.test(message), `With ${limit} descriptors the words are ${message}.`);
  return 'error';
}

/** However often a kernel is started and shut down with few descriptors, as many are open afterwards as before. */
async function startedAndStopped({ ground, campaign }: Attempt): Promise<Outcome> {
  const times = campaign ? 300 : 10;
  const folder = await mkdtemp(path.join(ground.folder, 'again-'));
  const args = await limited(256, 'test/faults/kernels/start-and-stop.ts', folder, [String(times)]);
  const { stdout } = await run('sh', args, { env: process.env, maxBuffer: 2 ** 24 });
  const { started, failure, hosts, left } = JSON.parse(stdout) as StartedAndStopped;
  must(failure === null, `After ${started} starts: ${failure}`);
  must(started === times, `${started} of ${times} were started.`);
  must(hosts === 1, `The kernel host ended ${hosts - 1} times.`);
  must(
    left.here <= 0 && left.host <= 0,
    `After ${times} kernels there are ${left.here} descriptors more here and ${left.host} in the host.`,
  );
  must(left.files.length === 0, `In the runtime folder are left: ${left.files.join(', ')}`);
  return 'right';
}

interface StartedAndStopped {
  started: number;
  failure: string | null;
  hosts: number;
  left: { here: number; host: number; files: string[] };
}

interface FullProcess {
  started: number;
  message: string;
  again: boolean;
  /** Processes that were started as kernel host. */
  hosts: number;
  left: string[];
  descriptors: number;
}

async function startUntilFull(parent: string, limit: number): Promise<FullProcess> {
  const folder = await mkdtemp(path.join(parent, 'few-'));
  const args = await limited(limit, 'test/faults/kernels/few-descriptors.ts', folder);
  const { stdout } = await run('sh', args, { env: process.env, maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as FullProcess;
}

/** Arguments of a shell that runs one of our programs with a limit of descriptors. */
async function limited(limit: number, source: string, folder: string, more: string[] = []): Promise<string[]> {
  const [program, host] = await Promise.all([buildHostEntry(source), buildHostEntry()]);
  return ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', process.execPath, program, host, testPython(), folder, ...more];
}

export const LIMITS: readonly FaultKind[] = [
  { name: 'full disk, stream', limitMs: 90_000, tries: 5, sample: 1, lacks: lacksMount, attempt: fullArtifacts },
  { name: 'full disk, payload', limitMs: 60_000, tries: 5, sample: 1, lacks: lacksMount, attempt: fullForPayload },
  { name: 'full disk, connection file', limitMs: 60_000, tries: 5, sample: 1, lacks: lacksMount, attempt: fullRuntimeFolder },
  { name: 'port taken', limitMs: 120_000, tries: 10, sample: 1, attempt: portsTaken },
  { name: 'descriptor limit', limitMs: 150_000, tries: 4, sample: 1, attempt: fewDescriptors },
  { name: 'many starts and stops', limitMs: 900_000, tries: 1, sample: 1, attempt: startedAndStopped },
  { name: 'descriptor limit below one kernel', limitMs: 150_000, tries: 4, sample: 1, attempt: tooFewDescriptors },
];
