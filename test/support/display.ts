/**
 * Global set-up of the window tests: a virtual display that belongs to this run alone, also where a real one is there.
 * A shared display would let two runs, or a person, take the focus from each other's windows.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { startDisplay } from '../../scripts/display.mjs';
import { repository } from '../../scripts/setup/paths.mjs';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!existsSync(path.join(repository, 'dist/main/main.cjs'))) throw new Error('The app is not built. Run `npm run build` first.');
  if (process.platform !== 'linux') return undefined;
  const { display, stop } = await startDisplay();
  process.env.DISPLAY = display;
  delete process.env.WAYLAND_DISPLAY;
  return stop;
}
