/**
 * The Chromium switches a machine needs, in one place for start, tests, benchmarks and the command line.
 * The sandbox stays on except for root, whom Chromium refuses otherwise; so running as root is said each time it happens.
 */
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** Below this a page with a few large images crashes the renderer; containers give 64 MB. */
const MIN_SHARED_MEMORY = 256 * 1024 * 1024;

/**
 * @typedef {object} Machine
 * @property {NodeJS.Platform} platform
 * @property {number | undefined} uid
 * @property {number | undefined} sharedMemory bytes in /dev/shm; undefined when unknown
 * @property {boolean} hasX11
 * @property {boolean} hasWayland
 * @property {boolean} isVirtual the display is one that was started for this window, without a graphics card behind it
 */

/**
 * @param {Machine} machine
 * @returns {{ switches: string[], warnings: string[] }} `warnings` are lines for people
 */
export function switchesFor(machine) {
  if (machine.platform !== 'linux') return { switches: [], warnings: [] };
  const switches = [];
  const warnings = [];
  if (machine.uid === 0) {
    switches.push('--no-sandbox');
    warnings.push(
      'Running as root: Electron works for root only without its sandbox, so it is off. Use an ordinary user for notebooks you don’t trust.',
    );
  }
  if (machine.sharedMemory !== undefined && machine.sharedMemory < MIN_SHARED_MEMORY) switches.push('--disable-dev-shm-usage');
  // Without this each start tries the card that isn't there, and a first frame is sometimes lost to it.
  if (machine.isVirtual) switches.push('--disable-gpu');
  if (machine.hasWayland && !machine.hasX11) switches.push('--ozone-platform=wayland');
  return { switches, warnings };
}

/**
 * This machine, with the environment the window will have.
 * @param {NodeJS.ProcessEnv} env
 * @param {{ isVirtual: boolean }} display
 * @returns {Machine}
 */
export function thisMachine(env, { isVirtual }) {
  return {
    platform: process.platform,
    uid: process.getuid?.(),
    sharedMemory: sharedMemory(),
    hasX11: Boolean(env.DISPLAY),
    hasWayland: Boolean(env.WAYLAND_DISPLAY),
    isVirtual,
  };
}

/**
 * Why the sandbox can't work for an ordinary user, and how to repair it; null when it can.
 * Some distributions forbid what it needs unless its helper belongs to root.
 * @param {string} electronFolder
 * @returns {string | null}
 */
export function sandboxProblem(electronFolder) {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return null;
  const forbidden =
    readSwitch('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1' ||
    readSwitch('/proc/sys/kernel/unprivileged_userns_clone') === '0' ||
    readSwitch('/proc/sys/user/max_user_namespaces') === '0';
  const helper = path.join(electronFolder, 'chrome-sandbox');
  if (!forbidden || !existsSync(helper)) return null;
  const { uid, mode } = statSync(helper);
  if (uid === 0 && (mode & 0o4000) !== 0) return null;
  return `This system keeps Electron’s sandbox from starting. Allow its helper, then start again:\n  sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`;
}

/** @param {string} file */
function readSwitch(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function sharedMemory() {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    return bsize * blocks;
  } catch {
    return undefined;
  }
}
