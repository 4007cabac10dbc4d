/**
 * What an interpreter says about itself. Asking is the only sure way: a path may be a shim, a link, a stub of the Windows store or broken.
 * Answers are kept until the interpreter or its packages change; at most a few are asked at a time, each with a time limit.
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { filterEnvironment } from '../direct/environment-filter.ts';

export interface Answer {
  /** Its own name for itself: the real interpreter behind a shim, the environment's for a venv. */
  executable: string;
  version: string;
  prefix: string;
  basePrefix: string;
  /** Version of ipykernel when it and what it needs can be found, else null. */
  ipykernel: string | null;
  /** Where packages are installed; its time of change tells of an install. */
  packages: string;
}

/** A first start reads a cold disk or is scanned by a virus checker; shorter calls a good Python broken. */
const TIMEOUT_MS = 15_000;

/** More at once would make each slower than its time limit on a small machine. */
const AT_ONCE = 4;

/** Set off from what a site customisation may print. */
const MARK = 'cellwright-probe:';

/** Also runs under Python 2 and 3.5, whose answer is then simply one without ipykernel. */
const SCRIPT = `
import json, sys, sysconfig
kernel = None
try:
    from importlib import metadata, util
    if all(util.find_spec(name) for name in ('ipykernel', 'jupyter_client', 'zmq')):
        kernel = metadata.version('ipykernel')
except Exception:
    pass
print('${MARK}' + json.dumps({
    'executable': sys.executable, 'version': '.'.join(str(n) for n in sys.version_info[:3]), 'prefix': sys.prefix,
    'basePrefix': getattr(sys, 'base_prefix', sys.prefix), 'ipykernel': kernel, 'packages': sysconfig.get_paths()['purelib']}))
`;

interface Kept {
  stamp: string;
  answer: Answer | null;
}

const kept = new Map<string, Kept>();
const asking = new Map<string, Promise<Answer | null>>();
const waiting: (() => void)[] = [];
let running = 0;

/** Null for what is no working Python. Never throws. */
export async function probeInterpreter(program: string): Promise<Answer | null> {
  const known = kept.get(program);
  if (known && known.stamp === (await stampOf(program, known.answer))) return known.answer;
  let answer = asking.get(program);
  if (!answer) {
    answer = ask(program).finally(() => asking.delete(program));
    asking.set(program, answer);
  }
  return answer;
}

async function ask(program: string): Promise<Answer | null> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    const answer = parse(await output(program));
    kept.set(program, { stamp: await stampOf(program, answer), answer });
    return answer;
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** The empty text for a program that can't be started, fails or takes too long. */
function output(program: string): Promise<string> {
  // In the root folder, so that a file named like a module in the present one can't change the answer.
  const options = { cwd: path.parse(program).root || '/', env: filterEnvironment(process.env), timeout: TIMEOUT_MS, windowsHide: true };
  return new Promise((resolve) => {
    execFile(program, ['-c', SCRIPT], { ...options, killSignal: 'SIGKILL' }, (error, stdout) => resolve(error ? '' : stdout));
  });
}

function parse(text: string): Answer | null {
  const line = text.split('\n').findLast((line) => line.startsWith(MARK));
  if (line === undefined) return null;
  try {
    return JSON.parse(line.slice(MARK.length)) as Answer;
  } catch {
    return null;
  }
}

async function stampOf(program: string, answer: Answer | null): Promise<string> {
  const times = await Promise.all(
    [program, answer?.packages ?? program].map((file) =>
      stat(file).then(
        (found) => found.mtimeMs,
        () => 0,
      ),
    ),
  );
  return times.join('/');
}
