/** Old artifacts are removed a while after the app's start, which has the disk for itself until then. */
import { cleanArtifacts } from '../artifacts/folder-cleanup.ts';
import { errorFields, type Log } from '../log/log.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

const DELAY_MS = 10_000;

const GIGABYTE = 1e9;

export function cleanUpLater(artifactsFolder: string, settings: SettingsStore, log: Log): void {
  const clean = async (): Promise<void> => {
    const limits = { maxDays: settings.get('artifactMaxDays'), maxBytes: settings.get('artifactMaxGigabytes') * GIGABYTE };
    const removed = await cleanArtifacts(artifactsFolder, limits);
    if (removed.length > 0) log.info('artifacts.removed', { folders: removed.length });
  };
  setTimeout(() => void clean().catch((error: unknown) => log.warn('artifacts.not-cleaned', errorFields(error))), DELAY_MS).unref();
}
