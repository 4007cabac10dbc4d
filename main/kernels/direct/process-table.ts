/**
 * The processes that run now, and when each started. A pid alone names nothing: it is used again after its process ended, so whatever
 * outlives this moment is remembered as pid and start time. Linux reads /proc, macOS asks `ps`, Windows answers for single ones.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** Session id; 0 where the system does not tell it. */
  session: number;
  /** Of its program, as far as the system keeps it: the first 15 characters on Linux. */
  name: string;
  /** Has a controlling terminal. */
  terminal: boolean;
  /** Ended but not reaped: nothing can be sent to it. */
  zombie: boolean;
  /** Processor time that it has used, in milliseconds. */
  cpuMs: number;
}

const run = promisify(execFile);

/** Of a tick in /proc: a hundredth of a second, whatever the kernel's own clock is. */
const TICK_MS = 10;

/** `ps` and PowerShell on a loaded machine; without a limit a hung one would hold up a shutdown. */
const TOOL_TIMEOUT_MS = 5_000;

/** Files of /proc that are open at a time: as many as Node's threads work on. */
const READERS = 4;

/** At the limit of descriptors: what takes the last ones is mostly a start that is about to fail. */
const PATIENCE_MS = 1_000;
const PATIENCE_STEP_MS = 20;

/** Every process, as far as it may be read. Empty on Windows, where trees are ended by `taskkill`. */
export async function listProcesses(platform: NodeJS.Platform = process.platform): Promise<ProcessEntry[]> {
  if (platform === 'win32') return [];
  if (platform !== 'linux') {
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,tty=,time=,comm='], { timeout: TOOL_TIMEOUT_MS });
    return parsePs(stdout);
  }
  const names = (await patiently(() => readdir('/proc'))).filter((name) => /^\d+$/.test(name));
  const entries: ProcessEntry[] = [];
  // Not all at once: on a machine with a thousand processes that would take a thousand descriptors, and starve whoever needs one meanwhile.
  const reader = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const stat = await readStat(name);
      if (stat) entries.push(stat.entry);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return entries;
}

/**
 * What tells a process from a later one with the same pid, or null when there is none. On Linux the boot is part of it, because start
 * times count from there.
 */
export async function processStart(pid: number, platform: NodeJS.Platform = process.platform): Promise<string | null> {
  if (platform === 'linux') {
    const stat = await readStat(String(pid));
    if (!stat || stat.entry.zombie) return null;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()}/${stat.start}`;
  }
  const [tool, args] =
    platform === 'win32'
      ? ['powershell.exe', ['-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]]
      : ['ps', ['-o', 'lstart=', '-p', String(pid)]];
  return run(tool, args, { timeout: TOOL_TIMEOUT_MS, windowsHide: true }).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}

/** One line per process: pid, parent, group, state, terminal (`??` for none), processor time, program. Exported for its test. */
export function parsePs(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state, terminal, time, ...program] = line.trim().split(/\s+/);
    if (!pid || !parent || !group || !state || !terminal || !time) return [];
    const [zombie, hasTerminal] = [state.startsWith('Z'), !terminal.startsWith('?')];
    const name = program.join(' ').replace(/^.*\//, '');
    const [ids, cpuMs] = [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 }, timeMs(time)];
    return [{ ...ids, name, terminal: hasTerminal, zombie, cpuMs }];
  });
}

/** Of `[days-][hours:]minutes:seconds`, seconds with hundredths where the system counts them. */
function timeMs(time: string): number {
  const [days, clock] = time.includes('-') ? (time.split('-') as [string, string]) : ['0', time];
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1_000);
}

/** The fields of /proc/<pid>/stat. The name in brackets may hold spaces and brackets itself, so reading starts after the last one. */
export function parseStat(text: string): { entry: ProcessEntry; start: string } | null {
  const pid = Number(text.slice(0, text.indexOf(' ')));
  const [state, parent, group, session, terminal, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const start = rest[14];
  if (!Number.isInteger(pid) || start === undefined) return null;
  const entry = {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    terminal: terminal !== '0',
    zombie: state === 'Z' || state === 'X',
    cpuMs: (Number(rest[6]) + Number(rest[7])) * TICK_MS,
  };
  return { entry, start };
}

async function readStat(pid: string): Promise<ReturnType<typeof parseStat>> {
  // A process that ended since the folder was listed.
  return patiently(() => readFile(`/proc/${pid}/stat`, 'utf8')).then(parseStat, () => null);
}

/** Tries again while no descriptor can be had: a process that can't be read must not look like one that is gone. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; await delay(PATIENCE_STEP_MS)) {
    try {
      return await read();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'EMFILE' && code !== 'ENFILE') || performance.now() > end) throw error;
    }
  }
}
