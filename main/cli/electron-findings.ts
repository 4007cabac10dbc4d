/**
 * What `doctor` finds out about the window: which Electron is there, whether its sandbox, its libraries and a display are.
 * In a package the running binary is the Electron; in the repository it is looked up where set-up puts it.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasDisplay } from '../../scripts/display.mjs';
import { DEVELOPMENT_VERSION, type ElectronBinary, electronBinary, releaseVersion } from '../../scripts/electron-path.mjs';
import { sandboxProblem } from '../../scripts/electron-switches.mjs';
import { howToInstall, missingSystemParts, onPath } from '../../scripts/setup/system-libraries.mjs';
import { type Finding, missing, ok } from './finding.ts';

export async function electronFindings(root: string): Promise<Finding[]> {
  const binary = process.versions.electron ? packagedElectron(process.versions.electron) : electronBinary(root);
  const electron = describeElectron(binary, root);
  return binary
    ? [electron, ...(await libraryFindings(binary)), ...sandboxFinding(binary), displayFinding()]
    : [electron, displayFinding()];
}

function packagedElectron(version: string): ElectronBinary {
  const kind = version === DEVELOPMENT_VERSION ? 'development' : 'release';
  return { kind, path: process.execPath, folder: path.dirname(process.execPath), version };
}

function describeElectron(binary: ElectronBinary | null, root: string): Finding {
  if (!binary) return missing('Electron', 'no binary', 'run `npm start` in Cellwright’s folder, which gets one');
  const { kind, version } = binary;
  if (kind === 'named') return ok('Electron', `${version}, named by CELLWRIGHT_ELECTRON: ${binary.path}`);
  if (kind === 'release') return ok('Electron', `release ${version}: ${binary.path}`);
  const release = releaseVersion(root);
  const why = release ? `because release ${release} could not be downloaded` : 'so this package is for trying only';
  return ok('Electron', `development runtime ${version}, ${why}: ${binary.path}`);
}

async function libraryFindings(binary: ElectronBinary): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const absent = await missingSystemParts(binary.path, { needsXvfb: false });
  if (absent.length === 0) return [ok('System libraries', 'all that Electron needs')];
  return [missing('System libraries', absent.join(', '), await howToInstall(absent))];
}

function sandboxFinding(binary: ElectronBinary): Finding[] {
  if (process.platform !== 'linux') return [];
  if (process.getuid?.() === 0) return [ok('Sandbox', 'off, because this is root; use an ordinary user for notebooks you don’t trust')];
  const problem = sandboxProblem(binary.folder);
  return [problem ? missing('Sandbox', 'this system forbids it', problem) : ok('Sandbox', 'on')];
}

function displayFinding(): Finding {
  if (process.platform !== 'linux') return ok('Display', 'the system’s own');
  if (hasDisplay()) return ok('Display', process.env.DISPLAY ?? `Wayland ${process.env.WAYLAND_DISPLAY}`);
  if (onPath('Xvfb') || existsSync('/usr/bin/Xvfb')) return ok('Display', 'none; Xvfb is there, and `npm start` uses it');
  return missing('Display', 'none, and no Xvfb', 'start from a desktop session, or install Xvfb (`sudo apt-get install xvfb`)');
}
