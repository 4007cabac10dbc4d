/**
 * Ends kernels when this process is killed and its kernel host with it (Electron takes its utility processes down at once). A shell reads
 * the process groups to end from a pipe; the pipe's end is our death, whatever caused it. Linux and macOS only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mustBeGroup } from './process-tree.ts';

/**
 * Keeps the groups it was told (`+ 12`) and not told to forget (`- 12`), and kills what is left at the end of its input. It waits a second
 * first: the kernel host, when it still lives, reads whole trees, and can't any more when their roots are gone. A trap keeps it alive
 * through the signals of a closing terminal. Group 1, for `kill`, is every process of the system; it is never told, and checked all the same.
 */
const SCRIPT = `
trap '' INT HUP TERM
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
[ "$groups" = ' ' ] && exit
/bin/sleep 1
for group in $groups; do [ "$group" -gt 1 ] && kill -s KILL -- "-$group"; done 2>/dev/null
`;

export class Watchdog {
  #child: ChildProcess | null = null;

  /** The group of this kernel ends with us from now on. */
  add(group: number): void {
    mustBeGroup(group);
    this.#tell(`+ ${group}`);
  }

  remove(group: number): void {
    this.#tell(`- ${group}`);
  }

  /** Ends the watchdog and whatever it still watches. */
  close(): void {
    this.#child?.stdin?.end();
    this.#child = null;
  }

  #tell(line: string): void {
    if (process.platform === 'win32') return;
    this.#child ??= this.#start();
    this.#child.stdin?.write(`${line}\n`);
  }

  #start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', env: {} });
    // Without it kernels still end with the host or by their own watch on their parent.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.unref();
    (child.stdin as { unref?: () => void } | null)?.unref?.();
    return child;
  }
}
