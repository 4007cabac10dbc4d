/**
 * `npm run package`: an unpacked folder under release/ that starts without Node or the repository.
 * With the development runtime it is good for trying the packaging and for nothing else, which is said: that runtime is too old to give away.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from './setup/command.mjs';
import { repository } from './setup/paths.mjs';
import { prepareApp } from './setup/prepare.mjs';
import { main, SetupError, step } from './setup/step.mjs';

await main(async () => {
  const electron = await prepareApp();
  await step('package', async (progress) => {
    progress('packing');
    const builder = path.join(repository, 'node_modules', 'electron-builder', 'cli.js');
    const { code, output } = await run(process.execPath, [builder, '--dir', '--publish', 'never', ...electronOptions(electron)], {
      cwd: repository,
    });
    if (code !== 0) throw new SetupError(`electron-builder failed:\n${output}`);
    const folders = (await readdir(path.join(repository, 'release'))).filter((name) => name.includes('unpacked') || name.startsWith('mac'));
    return { said: folders.map((name) => path.join('release', name)).join(', '), value: undefined };
  });
  if (electron.kind === 'development') {
    console.log(`This package has the development runtime (Electron ${electron.version}) in it: for trying, never for users.`);
  }
  return 0;
});

/**
 * The very binary that was developed with, so that nothing is downloaded a second time.
 * @param {import('./electron-path.mjs').ElectronBinary} electron
 */
function electronOptions({ folder, version }) {
  return [`-c.electronDist=${folder}`, `-c.electronVersion=${version}`];
}
