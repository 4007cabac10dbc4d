/**
 * The window's command line: files to open and overrides of settings (`--theme=dark`). Chromium's own switches come along on every start
 * and again, reordered, from a second start, so an unknown `--switch` is passed over in silence.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTING_OVERRIDES } from '../settings/settings-schema.ts';

export interface CommandLine {
  /** Absolute paths in the order given. */
  files: string[];
  /** Values of settings' flags, by flag. */
  flags: Record<string, string>;
}

/**
 * `argv` without the executable. `afterApp`: Electron was started with the app's folder as its first argument that is no switch, as in the
 * repository; a package has no such argument.
 */
export function readCommandLine(argv: readonly string[], cwd: string, { afterApp = false } = {}): CommandLine {
  const app = afterApp ? argv.findIndex((argument) => !argument.startsWith('-')) : -1;
  const known = new Set(Object.values(SETTING_OVERRIDES).map(({ flag }) => flag));
  const files: string[] = [];
  const flags: Record<string, string> = {};
  let onlyFiles = false;
  for (const argument of argv.filter((_, index) => index !== app)) {
    if (argument === '--' && !onlyFiles) {
      onlyFiles = true;
    } else if (!onlyFiles && argument.startsWith('-')) {
      const equals = argument.indexOf('=');
      const name = equals === -1 ? argument : argument.slice(0, equals);
      if (equals !== -1 && known.has(name)) flags[name] = argument.slice(equals + 1);
    } else if (argument !== '') {
      files.push(filePath(argument, cwd));
    }
  }
  return { files, flags };
}

/** A file manager may hand over `file://` addresses; what is no proper one is a name like any other. */
function filePath(argument: string, cwd: string): string {
  if (/^file:\/\//i.test(argument)) {
    try {
      return fileURLToPath(argument);
    } catch {
      return path.resolve(cwd, argument);
    }
  }
  return path.resolve(cwd, argument);
}
