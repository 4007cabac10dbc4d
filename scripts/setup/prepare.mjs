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

/** @typedef {import('../electron-path.mjs').ElectronBinary} ElectronBinary */

/**
 * The app and a binary to run or pack it with.
 * @returns {Promise<ElectronBinary>}
 */
export async function prepareApp() {
  await step('packages', async (progress) => ({ said: await installPackages(repository, progress), value: undefined }));
  await step('build', async (progress) => ({ said: await buildApp(repository, progress), value: undefined }));
  return step('electron', (progress) => prepareElectron(repository, progress));
}

/**
 * All that running it takes.
 * @param {{ needsXvfb: boolean, forTests: boolean }} needs
 * @returns {Promise<{ electron: ElectronBinary, python: string }>} `python` is the tests' own when `forTests`
 */
export async function prepare({ needsXvfb, forTests }) {
  const electron = await prepareApp();
  await step('system libraries', async (progress) => ({
    said: await installSystemParts(electron.path, { needsXvfb }, progress),
    value: undefined,
  }));
  const python = await step('python', forTests ? prepareTestPython : preparePython);
  return { electron, python };
}
