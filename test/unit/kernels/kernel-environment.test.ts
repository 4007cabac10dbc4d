import { describe, expect, test } from 'vitest';
import { filterEnvironment, ruleFor } from '../../../main/kernels/direct/environment-filter.ts';
import { type EnvironmentInput, kernelEnvironment } from '../../../main/kernels/direct/kernel-environment.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';

describe('what of our environment reaches a kernel', () => {
  test.each([
    ['OPENAI_API_KEY', 'x'],
    ['ANTHROPIC_API_KEY', 'x'],
    ['ANTHROPIC_AUTH_TOKEN', 'x'],
    ['anthropic_api_key', 'x'],
    ['AWS_SECRET_ACCESS_KEY', 'x'],
    ['GITHUB_TOKEN', 'x'],
    ['HF_TOKEN', 'x'],
    ['SOME_NEW_SERVICE_API_KEY', 'x'],
    ['SERVICE_APIKEY', 'x'],
    ['MY_SECRET', 'x'],
    ['DB_PASSWORD', 'x'],
    ['NPM_CONFIG__AUTHTOKEN', 'x'],
    ['SESSION_TOKEN_2', 'x'],
    ['CREDENTIALS', 'x'],
    ['HARMLESS_NAME', 'sk-proj-0123456789abcdefghijkl'],
    ['ANOTHER', 'ghp_0123456789abcdefghijklmnopqrstuv'],
    ['A_WORD', 'AKIAIOSFODNN7EXAMPLE'],
    // An allowed name does not help a value that is a key.
    ['EDITOR', 'sk-ant-0123456789abcdefghijkl'],
    ['PYTHONHOME', '/nowhere'],
    ['__PYVENV_LAUNCHER__', '/usr/bin/python3'],
    ['ELECTRON_RUN_AS_NODE', '1'],
    ['NODE_OPTIONS', '--inspect'],
    ['NODE_CHANNEL_FD', '3'],
    ['npm_config_registry', 'x'],
    ['JPY_PARENT_PID', '1'],
    ['JPY_API_TOKEN', 'x'],
    ['CELLWRIGHT_THEME', 'dark'],
    ['PWD', '/somewhere'],
  ])('%s does not', (name, value) => {
    expect(ruleFor(name, value).keep).toBe(false);
    expect(filterEnvironment({ [name]: value })).toEqual({});
  });

  test.each([
    ['PATH', '/bin'],
    ['Path', 'C:\\Windows'],
    ['HOME', '/home/ada'],
    ['LANG', 'de_DE.UTF-8'],
    ['LC_ALL', 'C'],
    ['XDG_DATA_HOME', '/data'],
    ['SSH_AUTH_SOCK', '/run/agent'],
    ['http_proxy', 'http://proxy:8080'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['KEYBOARD_LAYOUT', 'de'],
    ['MONKEY', 'x'],
    ['CUDA_VISIBLE_DEVICES', '0'],
    ['PYTHONPATH', '/code'],
    ['MY_DATA_FOLDER', '/data'],
    ['SKETCH', 'sk-etch'],
    ['EMPTY', ''],
  ])('%s does', (name, value) => {
    expect(filterEnvironment({ [name]: value })).toEqual({ [name]: value });
  });

  test('every decision gives its reason', () => {
    expect(ruleFor('OPENAI_API_KEY', 'x').why).toContain('deny list');
    expect(ruleFor('PATH', 'x').why).toContain('allow list');
  });
});

const spec: KernelSpec = {
  name: 'python3',
  displayName: 'Python',
  language: 'python',
  argv: ['python'],
  env: {},
  interruptMode: 'signal',
  resourceDir: null,
  source: 'kernelspec',
};

function environment(change: Partial<EnvironmentInput> = {}): Record<string, string> {
  return kernelEnvironment({
    host: { PATH: '/usr/bin:/bin', HOME: '/h' },
    spec,
    active: null,
    extra: {},
    parentPid: 77,
    platform: 'linux',
    ...change,
  });
}

describe('the environment of a kernel', () => {
  test('names its parent', () => {
    expect(environment()).toEqual({ PATH: '/usr/bin:/bin', HOME: '/h', JPY_PARENT_PID: '77' });
  });

  test('does not name init as its parent, nor anybody on Windows', () => {
    expect(environment({ parentPid: 1 })).not.toHaveProperty('JPY_PARENT_PID');
    expect(environment({ platform: 'win32' })).not.toHaveProperty('JPY_PARENT_PID');
  });

  test('later steps replace earlier ones', () => {
    const host = { A: 'host', B: 'host', C: 'host' };
    const given = environment({ host, spec: { ...spec, env: { B: 'spec', C: 'spec' } }, extra: { C: 'extra' } });
    expect(given).toMatchObject({ A: 'host', B: 'spec', C: 'extra' });
  });

  test('a kernelspec may use what is there, and leaves what is not', () => {
    const variable = (name: string): string => `\${${name}}`;
    const given = environment({ spec: { ...spec, env: { LIBRARY: `${variable('HOME')}/lib:${variable('MISSING')}` } } });
    expect(given.LIBRARY).toBe(`/h/lib:${variable('MISSING')}`);
  });

  test('a venv is activated in place of the one that the shell had', () => {
    const host = { PATH: '/other/bin:/usr/bin', VIRTUAL_ENV: '/other', VIRTUAL_ENV_PROMPT: 'other', CONDA_PREFIX: '/conda' };
    const given = environment({ host, active: { kind: 'venv', prefix: '/project/.venv' } });
    expect(given).toEqual({ PATH: '/project/.venv/bin:/other/bin:/usr/bin', VIRTUAL_ENV: '/project/.venv', JPY_PARENT_PID: '77' });
  });

  test('an environment that is active already is first on the path, and once', () => {
    const given = environment({ host: { PATH: '/usr/bin:/v/bin' }, active: { kind: 'venv', prefix: '/v' } });
    expect(given.PATH).toBe('/v/bin:/usr/bin');
  });

  test('conda on Windows gets the folders of its DLLs, under the name that the path has there', () => {
    const given = environment({ host: { Path: 'C:\\Windows' }, active: { kind: 'conda', prefix: 'C:\\envs\\a' }, platform: 'win32' });
    expect(given).not.toHaveProperty('PATH');
    expect(given.Path).toBe(
      'C:\\envs\\a;C:\\envs\\a\\Library\\mingw-w64\\bin;C:\\envs\\a\\Library\\usr\\bin;C:\\envs\\a\\Library\\bin;C:\\envs\\a\\Scripts;C:\\Windows',
    );
    expect(given.CONDA_PREFIX).toBe('C:\\envs\\a');
  });
});
