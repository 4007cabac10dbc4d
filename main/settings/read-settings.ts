/**
 * The settings for commands without a window: the profile's file under the overrides of this start. It is only read: the store of the window
 * moves a file that it can't read aside, which a command must not do behind the window's back.
 */
import { readFile } from 'node:fs/promises';
import { defaultSettings, type Settings, settingOverrides, settingsSchema } from './settings-schema.ts';

export interface SettingsRead {
  settings: Settings;
  /** Why the file could not be used, else null; there need not be one. */
  fileProblem: string | null;
  /** One sentence for each override that is not allowed. */
  problems: string[];
}

export async function readSettings(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>> = {},
): Promise<SettingsRead> {
  const { overrides, problems } = settingOverrides(flags, env);
  const { stored, fileProblem } = await readFile(file, 'utf8').then(parse, (error: NodeJS.ErrnoException) => ({
    stored: defaultSettings,
    fileProblem: error.code === 'ENOENT' ? null : error.message,
  }));
  return { settings: { ...stored, ...overrides }, fileProblem, problems };
}

function parse(text: string): { stored: Settings; fileProblem: string | null } {
  try {
    const { data, error } = settingsSchema.safeParse(JSON.parse(text.replace(/^\uFEFF/, '')));
    const issue = error?.issues[0];
    return { stored: data ?? defaultSettings, fileProblem: issue ? `${issue.path.join('.') || 'the file'}: ${issue.message}` : null };
  } catch (error) {
    return { stored: defaultSettings, fileProblem: error instanceof Error ? error.message : String(error) };
  }
}
