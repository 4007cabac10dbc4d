/**
 * All steps of set-up in their order. Each depends on the ones before: the build needs packages, the libraries are those the binary asks for.
 * The packages come first, and until they are there no module that imports one may be loaded.
 */
import { buildApp } from './app-build.mjs';
import { prepareElectron } from './electron.mjs';
import { installPackages } from './packages.mjs';
import { repository } from './paths.mjs';
import { preparePython, prepareTestPython } from './python.mjs';
import { step } from './step.mjs';
import { installSystemParts } from './system-libraries.mjs';

/**
 * @param {{ needsXvfb: boolean, forTests: boolean }} needs
 * @returns {Promise<{ electron: import('../electron-path.mjs').ElectronBinary, python: string }>} `python` is the tests' own when `forTests`
 */
export async function prepare({ needsXvfb, forTests }) {
  await step('packages', async (progress) => ({ said: await installPackages(repository, progress), value: undefined }));
  await step('build', async (progress) => ({ said: await buildApp(repository, progress), value: undefined }));
  const electron = await step('electron', (progress) => prepareElectron(repository, progress));
  await step('system libraries', async (progress) => ({
    said: await installSystemParts(electron.path, { needsXvfb }, progress),
    value: undefined,
  }));
  const python = await step('python', forTests ? prepareTestPython : preparePython);
  return { electron, python };
}
