/**
 * What `doctor` finds out about this process's limits. They bound how many kernels can run at once, and a limit that is hit shows as a
 * kernel that doesn't start, so they are said before that.
 */
import { openFileLimit } from '../kernels/direct/descriptors.ts';
import { type Finding, missing, ok } from './finding.ts';

/** A kernel's sockets and pipes take 12 to 13. */
const DESCRIPTORS_PER_KERNEL = 13;

/** What the app itself holds open: files, the window's processes, the log. */
const DESCRIPTORS_OF_APP = 100;

/** Four agent sessions and as many notebooks, twice over. */
const COMFORTABLE_KERNELS = 16;

/** What the app is built for: the Node inside the oldest Electron it runs in. */
const OLDEST_NODE = [20, 18] as const;

export async function limitFindings(): Promise<Finding[]> {
  return [nodeFinding(process.versions.node), descriptorFinding((await openFileLimit()) ?? undefined), await zeromqFinding()];
}

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isNew ? ok('Node', version) : missing('Node', version, `install Node ${OLDEST_NODE.join('.')} or newer`);
}

/** `limit` is the number of open files a process may have; undefined where it can't be asked. */
export function descriptorFinding(limit: number | undefined): Finding {
  if (limit === undefined) return ok('Open files', 'limit unknown on this system');
  const kernels = Math.max(0, Math.floor((limit - DESCRIPTORS_OF_APP) / DESCRIPTORS_PER_KERNEL));
  if (kernels >= COMFORTABLE_KERNELS) return ok('Open files', limit === Infinity ? 'unlimited' : `${limit}, enough for ${kernels} kernels`);
  return missing('Open files', `${limit}, enough for only ${kernels} kernels`, 'raise it before starting Cellwright: `ulimit -n 4096`');
}

async function zeromqFinding(): Promise<Finding> {
  try {
    const { context, version } = await import('zeromq');
    return ok('ZeroMQ', `${version}, ${context.maxSockets} sockets at once`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return missing('ZeroMQ', `its native module does not load: ${reason}`, 'install the packages again with `npm ci`');
  }
}
