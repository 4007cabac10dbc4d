/**
 * The commands that need no window: `run`, `doctor`, `mcp`.
 * Everything here runs in plain Node, or in Electron as Node in a package; stdout belongs to the command's own result.
 */
import { SETTING_OVERRIDES } from '../settings/settings-schema.ts';
import { doctorCommand } from './doctor.ts';
import { mcpCommand } from './mcp.ts';
import { runCommand } from './run.ts';

export interface CliContext {
  /** The app's folder: the repository, or the archive in a package. */
  readonly root: string;
}

type Command = (argv: string[], context: CliContext) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  run: runCommand,
  doctor: doctorCommand,
  mcp: mcpCommand,
};

/**
 * Runs a command and returns the exit code: 0 done, 1 failed, 2 wrong command line.
 * An error that a command did not expect is printed with its stack; it never ends the process silently.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const [name = '', ...rest] = argv;
  const command = COMMANDS[name];
  if (!command) {
    console.error(`Unknown command ${name || '(none)'}. The commands are ${Object.keys(COMMANDS).join(', ')}.`);
    return 2;
  }
  try {
    return await command(rest, context);
  } catch (error) {
    console.error(error instanceof Error ? error.stack : error);
    return 1;
  }
}

/** The first option that the window has no use for, or null. Settings are given as `--theme=dark`. */
export function unknownWindowOption(options: readonly string[]): string | null {
  const known = new Set(Object.values(SETTING_OVERRIDES).map(({ flag }) => flag));
  return options.find((option) => option !== '--' && !known.has(option.replace(/=.*$/s, ''))) ?? null;
}
