/**
 * What the development runtime runs by itself: the app whose folder is the first argument that is no switch.
 * It waits for the app's main module, because Electron holds `ready` back until this module has been evaluated and the app
 * must register its schemes before that.
 */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app as electronApp } from 'electron';

// Every Electron has these two for its own default app; the types leave them out.
const app = /** @type {import('electron').App & { setVersion(version: string): void, setAppPath(folder: string): void }} */ (electronApp);

const given = process.argv.slice(1).find((argument) => !argument.startsWith('-'));

if (process.argv.includes('--version') && !given) {
  console.log(`v${process.versions.electron}`);
  app.exit(0);
} else if (!given) {
  console.error('This is a development runtime. Give it the folder of an app.');
  app.exit(1);
} else {
  Object.defineProperty(process, 'defaultApp', { enumerable: true, value: true });
  try {
    await import(pathToFileURL(prepare(path.resolve(given))).href);
  } catch (error) {
    console.error(`The app in ${given} failed to start:`, error);
    app.exit(1);
  }
}

/**
 * Gives Electron the app's name, version and folder, as a package would, and returns its main file.
 * @param {string} location
 */
function prepare(location) {
  if (statSync(location).isFile()) {
    app.setAppPath(path.dirname(location));
    return location;
  }
  const description = JSON.parse(readFileSync(path.join(location, 'package.json'), 'utf8'));
  app.setName(description.productName ?? description.name ?? 'Electron');
  app.setVersion(description.version ?? '0.0.0');
  app.setAppPath(location);
  return path.join(location, description.main ?? 'index.js');
}
