/** The sandbox is off for root alone, and that is said; the other switches follow from the machine. */
import { expect, it } from 'vitest';
import { switchesFor } from '../../../scripts/electron-switches.mjs';

const usual = { platform: 'linux', uid: 1000, sharedMemory: 8e9, hasX11: true, hasWayland: false, isVirtual: false } as const;

it.each([
  ['an ordinary user with a display', {}, [], 0],
  ['root', { uid: 0 }, ['--no-sandbox'], 1],
  ['a container’s small shared memory', { sharedMemory: 64 * 1024 * 1024 }, ['--disable-dev-shm-usage'], 0],
  ['unknown shared memory', { sharedMemory: undefined }, [], 0],
  ['a virtual display', { isVirtual: true }, ['--disable-gpu'], 0],
  ['Wayland without X', { hasX11: false, hasWayland: true }, ['--ozone-platform=wayland'], 0],
  ['Wayland with X beside it', { hasWayland: true }, [], 0],
  ['macOS, also as root', { platform: 'darwin', uid: 0 }, [], 0],
  ['Windows', { platform: 'win32', uid: undefined }, [], 0],
] as const)('%s', (_case, change, switches, warnings) => {
  const result = switchesFor({ ...usual, ...change });
  expect(result.switches).toEqual(switches);
  expect(result.warnings).toHaveLength(warnings);
});
