import { describe, expect, test } from 'vitest';
import {
  jupyterConfigFolder,
  jupyterDataFolder,
  jupyterDataPath,
  jupyterRuntimeFolder,
  type System,
} from '../../../main/kernels/discovery/jupyter-paths.ts';

const linux: System = { platform: 'linux', env: {}, home: '/home/ada' };
const macos: System = { platform: 'darwin', env: {}, home: '/Users/ada' };
const windows: System = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local', PROGRAMDATA: 'C:\\ProgramData' },
  home: 'C:\\Users\\ada',
};

const withEnv = (system: System, env: System['env']): System => ({ ...system, env: { ...system.env, ...env } });

describe('the user’s folders', () => {
  test.each<[string, System, { data: string; runtime: string; config: string }]>([
    [
      'Linux',
      linux,
      { data: '/home/ada/.local/share/jupyter', runtime: '/home/ada/.local/share/jupyter/runtime', config: '/home/ada/.jupyter' },
    ],
    [
      'Linux, XDG',
      withEnv(linux, { XDG_DATA_HOME: '/data' }),
      { data: '/data/jupyter', runtime: '/data/jupyter/runtime', config: '/home/ada/.jupyter' },
    ],
    ['macOS', macos, { data: '/Users/ada/Library/Jupyter', runtime: '/Users/ada/Library/Jupyter/runtime', config: '/Users/ada/.jupyter' }],
    [
      'Windows',
      windows,
      {
        data: 'C:\\Users\\ada\\AppData\\Roaming\\jupyter',
        runtime: 'C:\\Users\\ada\\AppData\\Roaming\\jupyter\\runtime',
        config: 'C:\\Users\\ada\\.jupyter',
      },
    ],
    [
      'Windows without APPDATA',
      { ...windows, env: {} },
      { data: 'C:\\Users\\ada\\.jupyter\\data', runtime: 'C:\\Users\\ada\\.jupyter\\data\\runtime', config: 'C:\\Users\\ada\\.jupyter' },
    ],
    [
      'named by the environment',
      withEnv(linux, { JUPYTER_DATA_DIR: '/d', JUPYTER_RUNTIME_DIR: '/r', JUPYTER_CONFIG_DIR: '/c' }),
      { data: '/d', runtime: '/r', config: '/c' },
    ],
    [
      'macOS with platform folders',
      withEnv(macos, { JUPYTER_PLATFORM_DIRS: '1' }),
      {
        data: '/Users/ada/Library/Application Support/Jupyter',
        runtime: '/Users/ada/Library/Application Support/Jupyter/runtime',
        config: '/Users/ada/Library/Application Support/Jupyter',
      },
    ],
    [
      'Linux with platform folders',
      withEnv(linux, { JUPYTER_PLATFORM_DIRS: '1' }),
      { data: '/home/ada/.local/share/jupyter', runtime: '/home/ada/.local/share/jupyter/runtime', config: '/home/ada/.config/jupyter' },
    ],
  ])('%s', (_name, system, expected) => {
    expect({ data: jupyterDataFolder(system), runtime: jupyterRuntimeFolder(system), config: jupyterConfigFolder(system) }).toEqual(
      expected,
    );
  });
});

describe('the search path', () => {
  test('Linux', () => {
    expect(jupyterDataPath(linux)).toEqual([
      '/home/ada/.local/share/jupyter',
      '/usr/local/share/jupyter',
      '/usr/share/jupyter',
      '/home/ada/.ipython',
    ]);
  });

  test('macOS', () => {
    expect(jupyterDataPath(macos)).toEqual([
      '/Users/ada/Library/Jupyter',
      '/Users/ada/.local/share/jupyter',
      '/usr/local/share/jupyter',
      '/usr/share/jupyter',
      '/opt/homebrew/share/jupyter',
      '/Users/ada/.ipython',
    ]);
  });

  test('Windows', () => {
    expect(jupyterDataPath(windows)).toEqual([
      'C:\\Users\\ada\\AppData\\Roaming\\jupyter',
      'C:\\Users\\ada\\AppData\\Roaming\\Python\\share\\jupyter',
      'C:\\ProgramData\\jupyter',
      'C:\\Users\\ada\\.ipython',
    ]);
  });

  test('what the environment names comes first, then the active environment', () => {
    const system = withEnv(linux, { JUPYTER_PATH: '/first:/second', VIRTUAL_ENV: '/venv' });
    expect(jupyterDataPath(system).slice(0, 4)).toEqual(['/first', '/second', '/venv/share/jupyter', '/home/ada/.local/share/jupyter']);
  });

  test('the user comes before the environment when asked for', () => {
    const system = withEnv(linux, { JUPYTER_PREFER_ENV_PATH: '0', CONDA_PREFIX: '/conda' });
    expect(jupyterDataPath(system).slice(0, 2)).toEqual(['/home/ada/.local/share/jupyter', '/conda/share/jupyter']);
  });

  test('Windows splits at semicolons, since its paths have colons', () => {
    expect(jupyterDataPath(withEnv(windows, { JUPYTER_PATH: 'D:\\a;E:\\b' })).slice(0, 2)).toEqual(['D:\\a', 'E:\\b']);
  });
});
