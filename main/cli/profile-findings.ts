/**
 * What `doctor` says about the person's own files: where settings and logs are, and whether the settings can be used.
 * The folder is Electron's for the app's name; it is worked out here because this runs without Electron.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { LOG_FILE_NAME } from '../log/log-file.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { type Finding, missing, ok } from './finding.ts';

/** Must be `productName` in package.json, which Electron names the folder by. */
const APP_NAME = 'Cellwright';

export async function profileFindings(): Promise<Finding[]> {
  const folder = profileFolder();
  return [...(await settingsFindings(settingsFile())), logFinding(path.join(folder, 'logs', LOG_FILE_NAME))];
}

/** The settings of this start: the profile's under the environment. */
export async function presentSettings(): Promise<Settings> {
  return (await readSettings(settingsFile(), process.env)).settings;
}

export function settingsFile(): string {
  return path.join(profileFolder(), 'settings.json');
}

/** The folder with settings, logs and recovered work. `CELLWRIGHT_PROFILE` names another one. */
export function profileFolder(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  if (env.CELLWRIGHT_PROFILE) return path.resolve(env.CELLWRIGHT_PROFILE);
  if (platform === 'win32') return path.win32.join(env.APPDATA || path.win32.join(home, 'AppData', 'Roaming'), APP_NAME);
  if (platform === 'darwin') return path.posix.join(home, 'Library', 'Application Support', APP_NAME);
  return path.posix.join(env.XDG_CONFIG_HOME || path.posix.join(home, '.config'), APP_NAME);
}

async function settingsFindings(file: string): Promise<Finding[]> {
  const { problems, fileProblem } = await readSettings(file, process.env);
  const overridden = problems.map((problem) => missing('Settings', problem, 'correct or unset that variable'));
  if (!existsSync(file)) return [ok('Settings', `${file} (not written yet: all have their defaults)`), ...overridden];
  return [fileProblem ? missing('Settings', fileProblem, `correct ${file}, or delete it`) : ok('Settings', file), ...overridden];
}

function logFinding(file: string): Finding {
  return ok('Logs', existsSync(file) ? file : `${file} (not written yet)`);
}
