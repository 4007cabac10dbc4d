/**
 * Where Jupyter keeps things, by its own rules for Linux, macOS and Windows (jupyter_core, "Common directories and file locations"). Pure:
 * platform, environment and home come in, so that one machine can test all three.
 */
import { homedir } from 'node:os';
import path from 'node:path';

export interface System {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

export function thisSystem(): System {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** The path functions of the platform in question, not of the one this runs on. */
export function pathOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** The user's configuration folder. */
export function jupyterConfigFolder({ platform, env, home }: System = thisSystem()): string {
  const { join } = pathOf(platform);
  if (env.JUPYTER_CONFIG_DIR) return env.JUPYTER_CONFIG_DIR;
  if (!usesPlatformFolders(env)) return join(home, '.jupyter');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Jupyter');
  if (platform === 'win32') return join(localAppData(env, home), 'Jupyter');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'jupyter');
}

/** The user's data folder. */
export function jupyterDataFolder(system: System = thisSystem()): string {
  const { platform, env, home } = system;
  const { join } = pathOf(platform);
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  if (platform === 'darwin') {
    return usesPlatformFolders(env) ? join(home, 'Library', 'Application Support', 'Jupyter') : join(home, 'Library', 'Jupyter');
  }
  if (platform === 'win32') {
    if (usesPlatformFolders(env)) return join(localAppData(env, home), 'Jupyter');
    return env.APPDATA ? join(env.APPDATA, 'jupyter') : join(jupyterConfigFolder(system), 'data');
  }
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'jupyter');
}

/** For connection files; private to the user. */
export function jupyterRuntimeFolder(system: System = thisSystem()): string {
  return system.env.JUPYTER_RUNTIME_DIR || pathOf(system.platform).join(jupyterDataFolder(system), 'runtime');
}

/**
 * The folders that hold `kernels`, first to last: what the environment names, the environment that is active, the user's, the system's.
 * Jupyter puts its own Python's prefix where the active environment stands here, since this program has no Python of its own.
 */
export function jupyterDataPath(system: System = thisSystem()): string[] {
  const { platform, env, home } = system;
  const { join, delimiter } = pathOf(platform);
  const named = (env.JUPYTER_PATH ?? '').split(delimiter).filter(Boolean);
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].flatMap((prefix) => (prefix ? [join(prefix, 'share', 'jupyter')] : []));
  const user = [jupyterDataFolder(system), ...userBases(system).map((base) => join(base, 'share', 'jupyter'))];
  const shared =
    platform === 'win32'
      ? [join(env.PROGRAMDATA || 'C:\\ProgramData', 'jupyter')]
      : ['/usr/local/share/jupyter', '/usr/share/jupyter', ...(platform === 'darwin' ? ['/opt/homebrew/share/jupyter'] : [])];
  const preferUser = env.JUPYTER_PREFER_ENV_PATH !== undefined && /^(no|n|false|off|0|0\.0)$/i.test(env.JUPYTER_PREFER_ENV_PATH);
  const own = preferUser ? [...user, ...active] : [...active, ...user];
  // A kernel folder of IPython before there was Jupyter; still searched, last.
  return [...new Set([...named, ...own, ...shared, join(home, '.ipython')])];
}

/** Where `pip install --user` puts things. */
function userBases({ platform, env, home }: System): string[] {
  const { join } = pathOf(platform);
  if (env.PYTHONUSERBASE) return [env.PYTHONUSERBASE];
  if (platform === 'win32') return [join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Python')];
  return [join(home, '.local')];
}

function usesPlatformFolders(env: System['env']): boolean {
  return env.JUPYTER_PLATFORM_DIRS !== undefined && !/^(no|n|false|off|0|0\.0|)$/i.test(env.JUPYTER_PLATFORM_DIRS);
}

function localAppData(env: System['env'], home: string): string {
  return env.LOCALAPPDATA || path.win32.join(home, 'AppData', 'Local');
}
