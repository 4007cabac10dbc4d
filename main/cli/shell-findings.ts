/**
 * What `doctor` finds out about the person's login shell: kernels of an app that a desktop has started get its variables. Names only are said:
 * values may be secrets.
 */
import { askLoginShell, isFromDesktop, LoginShellError, newVariables } from '../kernels/discovery/login-shell.ts';
import { personsShell } from '../kernels/discovery/shell-environment.ts';
import { type Finding, missing, ok } from './finding.ts';

/** So many are named; PATH is always among them. */
const MAX_NAMED = 8;

export async function shellFindings(
  ask: 'auto' | 'off',
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<Finding[]> {
  if (platform === 'win32') return [];
  if (ask === 'off') return [ok('Login shell', 'not asked: the setting shellEnvironment is off')];
  const shell = personsShell(env);
  try {
    // As a desktop would start it: the variables of this terminal would hide what the shell's own files set.
    const bare = Object.fromEntries(Object.entries(env).filter(([name]) => BARE.test(name)));
    const started = performance.now();
    const names = Object.keys(newVariables(bare, await askLoginShell(shell, bare)));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const named = [...names.filter((name) => name === 'PATH'), ...names.filter((name) => name !== 'PATH').sort()];
    const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : '';
    const sets = named.length === 0 ? 'sets nothing' : `sets ${named.slice(0, MAX_NAMED).join(', ')}${more}`;
    const used = isFromDesktop(platform, env) ? '' : '; used where Cellwright is started without a terminal';
    return [ok('Login shell', `${shell} ${sets} (${seconds} s)${used}`)];
  } catch (error) {
    if (!(error instanceof LoginShellError)) throw error;
    return [missing('Login shell', error.what, error.fix)];
  }
}

/** What a desktop gives to a program that it starts. */
const BARE = /^(HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TMPDIR|XDG_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/;
