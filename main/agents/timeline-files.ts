/**
 * The timelines on disk: one file per agent session, one JSON value per line, only ever added to. A program that is killed leaves half a line
 * at worst, and the next start passes over it.
 */
import { appendFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentCall, AgentView } from '../../preload/agent-sessions.ts';
import { agentPolicySchema } from '../../preload/agent-sessions.ts';
import { errorFields, type Log } from '../log/log.ts';
import { recordedCall } from './ended-card.ts';

export type KnownAgent = Omit<AgentView, 'connected' | 'paused' | 'takenOver' | 'cursor'>;

type Line = { agent: KnownAgent } | { call: AgentCall };

export interface Restored {
  agent: KnownAgent;
  calls: AgentCall[];
  /** Those of them that went on when the record ended. */
  cut: AgentCall[];
}

/** Sessions that are shown again after a start, and those that are kept at all. */
const RESTORED = 20;
const KEPT = 300;
/** Of each file only its end is read: the window waits for it. */
const READ_BYTES = 512 * 1024;

export class TimelineFiles {
  readonly #folder: string;
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  #failed = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  add(agentId: string, line: Line): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#last = this.#last.then(async () => {
      try {
        await this.#append(`${agentId}.jsonl`, text);
        this.#failed = false;
      } catch (error) {
        if (!this.#failed) this.#log.warn('agents.timeline-not-written', errorFields(error));
        this.#failed = true;
      }
    });
  }

  async #append(name: string, text: string): Promise<void> {
    const append = () => appendFile(path.join(this.#folder, name), text, { mode: 0o600 });
    try {
      await append();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await append();
    }
  }

  /** Where the results under a session's keys are kept; they go when its timeline goes. */
  resultsFolder(agentId: string): string {
    return path.join(this.#folder, `${agentId}.results`);
  }

  /** Everything added so far is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** The newest sessions, oldest of them first. Never throws; what can't be read is left out. */
  async restore(): Promise<Restored[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = await Promise.all(
      names
        .filter((name) => /^[a-z0-9-]{1,80}\.jsonl$/.test(name))
        .map(async (name) => {
          const file = path.join(this.#folder, name);
          return {
            file,
            at: await stat(file)
              .then(({ mtimeMs }) => mtimeMs)
              .catch(() => 0),
          };
        }),
    );
    files.sort((a, b) => b.at - a.at);
    const old = files.slice(KEPT).flatMap(({ file }) => [file, this.resultsFolder(path.basename(file, '.jsonl'))]);
    await Promise.all(old.map((each) => rm(each, { recursive: true, force: true }).catch(() => {})));
    const restored = await Promise.all(files.slice(0, RESTORED).map(({ file }) => readTimeline(file).catch(() => null)));
    return restored.filter((one) => one !== null).reverse();
  }
}

async function readTimeline(file: string): Promise<Restored | null> {
  const handle = await open(file, 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    const begin = await readText(handle, 0, Math.min(size, 64 * 1024));
    const from = Math.max(0, size - READ_BYTES);
    const end = await readText(handle, from, size - from);
    const lines = [...linesOf(begin), ...linesOf(end)];
    const agent = lines.findLast((line) => 'agent' in line);
    if (!agent) return null;
    const calls = new Map(linesOf(end).flatMap((line) => ('call' in line ? [[line.call.id, line.call] as const] : [])));
    const open = new Set([...calls.values()].filter(({ endedAt }) => endedAt === null).map(({ id }) => id));
    const recorded = [...calls.values()].sort((a, b) => a.id - b.id).map((call) => recordedCall(call, mtimeMs));
    return { agent: agent.agent, calls: recorded, cut: recorded.filter(({ id }) => open.has(id)) };
  } finally {
    await handle.close();
  }
}

async function readText(handle: Awaited<ReturnType<typeof open>>, from: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, from);
  return buffer.toString('utf8', 0, bytesRead);
}

function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isLine(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Written by this program, but perhaps by another version of it: only what is needed to show it without an error is looked at. */
function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const { agent, call } = value as { agent?: Partial<KnownAgent>; call?: Partial<AgentCall> };
  if (agent) return typeof agent.id === 'string' && typeof agent.name === 'string' && agentPolicySchema.safeParse(agent.policy).success;
  return typeof call?.id === 'number' && typeof call.agentId === 'string' && typeof call.card?.kind === 'string';
}
