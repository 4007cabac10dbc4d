/**
 * How a test starts the app's window: the binary that set-up found, the switches this machine needs, and the app's folder.
 * What comes after that (files, options) is the test's own.
 */
import { electronBinary } from '../../scripts/electron-path.mjs';
import { switchesFor, thisMachine } from '../../scripts/electron-switches.mjs';
import { repository } from '../../scripts/setup/paths.mjs';

/** For Playwright's `_electron.launch`; throws when set-up has not got a binary. */
export function electronLaunch(): { executablePath: string; args: string[] } {
  const binary = electronBinary(repository);
  if (!binary) throw new Error('There is no Electron binary yet. Start the tests with `npm test`.');
  return {
    executablePath: binary.path,
    args: [...switchesFor(thisMachine(process.env, { isVirtual: process.platform === 'linux' })).switches, repository],
  };
}
