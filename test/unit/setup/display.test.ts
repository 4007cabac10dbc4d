/** A virtual display of one's own: two never share a number, and none outlives its `stop`. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hasDisplay, startDisplay } from '../../../scripts/display.mjs';

it.each([
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['darwin', {}, true],
  ['win32', {}, true],
] as const)('on %s with %o: %s', (platform, env, expected) => {
  expect(hasDisplay(platform, env)).toBe(expected);
});

it('starts and stops displays side by side', async (context) => {
  if (process.platform !== 'linux') return context.skip('Xvfb is for Linux');
  const displays = await Promise.all([startDisplay(), startDisplay()]);
  const sockets = displays.map(({ display }) => `/tmp/.X11-unix/X${display.slice(1)}`);
  expect(new Set(sockets).size).toBe(2);
  expect(sockets.map((socket) => existsSync(socket))).toEqual([true, true]);
  await Promise.all(displays.map(({ stop }) => stop()));
  expect(sockets.map((socket) => existsSync(socket))).toEqual([false, false]);
});
