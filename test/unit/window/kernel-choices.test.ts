import { describe, expect, it } from 'vitest';
import type { Interpreter } from '../../../main/kernels/discovery/interpreters.ts';
import type { KernelSpec } from '../../../main/kernels/kernel.ts';
import { kernelView, storedKernelspec } from '../../../main/window/document-view.ts';
import { gatewayChoices, kernelChoices, shownChoice, unreachableChoice } from '../../../main/window/kernel-choices.ts';
import type { KernelView } from '../../../preload/contract.ts';

function spec(name: string, program: string, language = 'python'): KernelSpec {
  const argv = [program, '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  return { name, displayName: name, language, argv, env: {}, interruptMode: 'signal', resourceDir: '/specs', source: 'kernelspec' };
}

function interpreter(path: string, change: Partial<Interpreter> = {}): Interpreter {
  return { path, version: '3.12.1', kind: 'venv', displayName: path, ipykernel: '7.0.0', prefix: path, project: false, ...change };
}

describe('the kernels to choose from', () => {
  it('have the project’s first and what can not start yet behind what can', () => {
    const choices = kernelChoices(
      [spec('julia', '/usr/bin/julia', 'julia'), spec('python3', '/usr/bin/python3')],
      [interpreter('/a/python'), interpreter('/p/.venv/bin/python', { project: true }), interpreter('/b/python', { ipykernel: null })],
    );
    expect(choices.map(({ name, source, ready }) => [name, source, ready])).toEqual([
      ['/p/.venv/bin/python', 'project', true],
      ['julia', 'kernelspec', true],
      ['python3', 'kernelspec', true],
      ['/a/python', 'interpreter', true],
      ['/b/python', 'interpreter', false],
    ]);
  });

  it('name an interpreter once when a kernelspec starts it, but the project’s own always', () => {
    const program = '/p/.venv/bin/python';
    expect(kernelChoices([spec('mine', program)], [interpreter(program)])).toHaveLength(1);
    expect(kernelChoices([spec('mine', program)], [interpreter(program, { project: true })])).toHaveLength(2);
  });

  it('never give a window a command to start', () => {
    const [choice] = kernelChoices([spec('python3', '/usr/bin/python3')], []);
    expect(Object.keys(shownChoice(choice!)).sort()).toEqual(['displayName', 'language', 'name', 'note', 'path', 'ready', 'source']);
    expect(choice?.spec?.argv[0]).toBe('/usr/bin/python3');
    expect(kernelChoices([], [interpreter('/a/python', { ipykernel: null })])[0]?.spec).toBeNull();
  });
});

describe('the kernels of a Jupyter server', () => {
  const url = 'https://hub.example/user/ada/';
  const there: KernelSpec = { ...spec('python3', 'python'), source: 'gateway', gateway: { url, token: 'secret' } };

  it('can’t be taken for this machine’s of the same name, and keep the token to main', () => {
    const [choice] = gatewayChoices([there]);
    expect(choice?.name).not.toBe('python3');
    expect(JSON.stringify(shownChoice(choice!))).not.toContain('secret');
    expect(choice).toMatchObject({ path: url, source: 'gateway', ready: true, note: null, spec: there });
  });

  it('tell a running one from one to start', () => {
    const running = { ...there, gateway: { url, kernelId: 'k1' } };
    const [fresh, attached] = gatewayChoices([there, running]);
    expect(attached).toMatchObject({ note: 'running there' });
    expect(attached?.name).not.toBe(fresh?.name);
  });

  it('stay visible with the reason when the server is out of reach', () => {
    const choice = unreachableChoice(url, 'The server does not answer.');
    expect(choice).toMatchObject({ ready: false, displayName: 'The server does not answer.', spec: null });
  });
});

describe('the kernelspec in a notebook', () => {
  it.each([
    [{}, null],
    [{ kernelspec: null }, null],
    [{ kernelspec: 'python3' }, null],
    [{ kernelspec: { display_name: 'x' } }, null],
    [{ kernelspec: { name: 7 } }, null],
    [{ kernelspec: { name: 'python3' } }, { name: 'python3', displayName: 'python3', language: '' }],
    [{ kernelspec: { name: 'ir', display_name: 'R', language: 'R' } }, { name: 'ir', displayName: 'R', language: 'R' }],
  ])('%j', (metadata, expected) => {
    expect(storedKernelspec(metadata)).toEqual(expected);
  });

  it('lends its name to a kernel that was never started, and to no other', () => {
    const view: KernelView = {
      state: 'none',
      name: '',
      kernelspecName: null,
      language: '',
      generation: 0,
      message: null,
      detail: null,
      queued: 0,
    };
    const metadata = { kernelspec: { name: 'ir', display_name: 'R', language: 'R' } };
    expect(kernelView(view, metadata)).toMatchObject({ name: 'R', kernelspecName: 'ir', language: 'R' });
    expect(kernelView({ ...view, name: 'Python 3' }, metadata).name).toBe('Python 3');
    expect(kernelView(view, {})).toBe(view);
  });
});
