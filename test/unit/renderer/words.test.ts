/** Times, states and names in words. */
import { describe, expect, it } from 'vitest';
import type { CellRun, KernelView } from '../../../preload/contract.ts';
import { cellLabel, countMark } from '../../../renderer/cells/cell-words.ts';
import { runningTime, sinceTime, spokenTime, takenTime } from '../../../renderer/cells/time.ts';
import {
  canInterrupt,
  kernelActions,
  kernelSentence,
  kernelTone,
  kernelTrouble,
  kernelWord,
} from '../../../renderer/kernel/kernel-words.ts';
import { folderName, parentFolder, shortPath, sortedEntries } from '../../../renderer/shell/files.ts';
import { restoreLayout } from '../../../renderer/shell/layout.ts';

const run = (change: Partial<CellRun>): CellRun => ({
  state: 'idle',
  executionCount: null,
  startedAt: null,
  durationMs: null,
  input: null,
  stale: null,
  ...change,
});
const kernel = (change: Partial<KernelView>): KernelView => ({
  state: 'idle',
  name: 'Python 3.12',
  kernelspecName: 'python3',
  language: 'python',
  generation: 0,
  message: null,
  detail: null,
  queued: 0,
  ...change,
});

describe('times', () => {
  it.each([
    [-5, '0 ms'],
    [0.4, '0 ms'],
    [43, '43 ms'],
    [99.4, '99 ms'],
    [327, '0.3s'],
    [999.6, '1.0s'],
    [1240, '1.2s'],
    [9949, '9.9s'],
    [9960, '10s'],
    [59_499, '59s'],
    [59_600, '1:00'],
    [67_000, '1:07'],
    [3_723_000, '1:02:03'],
  ])('%d ms taken is %s', (ms, text) => expect(takenTime(ms)).toBe(text));

  it('counts whole seconds while running', () => {
    expect([0, 999, 7_000, 67_900, 3_600_000].map(runningTime)).toEqual(['0:00', '0:00', '0:07', '1:07', '1:00:00']);
  });

  it('speaks', () => {
    expect([200, 1000, 67_000, 7_322_000].map(spokenTime)).toEqual([
      'less than a second',
      '1 second',
      '1 minute 7 seconds',
      '2 hours 2 minutes 2 seconds',
    ]);
  });

  it('says how long ago', () => {
    const now = Date.UTC(2024, 5, 1, 12);
    expect([10_000, 240_000, 7_200_000, 30 * 3_600_000].map((ago) => sinceTime(now - ago, now))).toEqual([
      'just now',
      '4 min ago',
      '2 h ago',
      'yesterday',
    ]);
    expect(sinceTime(Date.UTC(2024, 0, 5, 12), now)).toMatch(/2024/);
  });
});

describe('cells', () => {
  it('has a star while it runs or waits', () => {
    expect(countMark(run({}))).toBe('[ ]');
    expect(countMark(run({ executionCount: 3 }))).toBe('[3]');
    expect(countMark(run({ state: 'queued', executionCount: 3 }))).toBe('[*]');
    expect(countMark(run({ state: 'failed', executionCount: 4 }))).toBe('[4]');
  });

  it('says where it is and how it went', () => {
    expect(cellLabel('code', 2, 31, run({ state: 'done', executionCount: 12, durationMs: 1200, stale: 'edited' }))).toBe(
      'Code cell 3 of 31, run 12, done in 1 second, edited since',
    );
    expect(cellLabel('code', 0, 1, run({ state: 'running', input: { prompt: '', password: false } }))).toBe(
      'Code cell 1 of 1, waiting for input',
    );
    expect(cellLabel('markdown', 0, 2, run({}))).toBe('Markdown cell 1 of 2');
  });
});

describe('kernels', () => {
  it('has a word and a tone for each state', () => {
    expect(kernelWord(kernel({ state: 'busy', queued: 3 }))).toBe('busy, 3 waiting');
    expect(kernelWord(kernel({ state: 'none' }))).toBe('not started');
    expect(kernelTone(kernel({ state: 'dead' }))).toBe('failed');
    expect(kernelSentence(kernel({ state: 'idle' }))).toBe('Kernel Python 3.12 is idle.');
  });

  it('tells a kernel that could not start from one that was never asked to', () => {
    const failed = kernel({ state: 'none', message: 'No module named ipykernel. Install it.' });
    expect(kernelTrouble(failed)).toBe('failed');
    expect(kernelTone(failed)).toBe('failed');
    expect(kernelTrouble(kernel({ state: 'none' }))).toBeNull();
    expect(kernelTrouble(kernel({ state: 'dead' }))).toBe('dead');
    expect(kernelTrouble(kernel({ state: 'not-responding', message: 'It does not answer.' }))).toBe('note');
  });

  it('offers the next step: a restart when it ended or goes on after an interrupt, nothing when only something is said', () => {
    const offered = (view: Partial<KernelView>) => kernelActions(kernel(view)).map(({ command }) => command);
    expect(offered({ state: 'dead' })).toEqual(['kernel.restart', 'kernel.choose']);
    expect(offered({ state: 'none', message: 'No module named ipykernel.' })).toEqual(['kernel.start', 'kernel.choose']);
    expect(offered({ state: 'busy', message: 'The code goes on.' })).toEqual(['kernel.restart', 'kernel.interrupt']);
    expect(offered({ state: 'not-responding', message: 'The code goes on.' })).toEqual(['kernel.restart', 'kernel.interrupt']);
    expect(offered({ state: 'idle', message: 'The kernel of the file is not here.' })).toEqual([]);
    expect(offered({ state: 'idle', message: 'The kernel works in /a.', restartHelps: true })).toEqual(['kernel.restart']);
    expect(offered({ state: 'busy' })).toEqual([]);
  });

  it('can be interrupted when something runs or waits', () => {
    expect(canInterrupt(kernel({}))).toBe(false);
    expect(canInterrupt(kernel({ state: 'busy' }))).toBe(true);
    expect(canInterrupt(kernel({ state: 'starting', queued: 1 }))).toBe(true);
  });
});

describe('files', () => {
  it('has folders first and counts as a person does', () => {
    const entry = (name: string, kind: 'folder' | 'file') => ({ name, path: `/${name}`, kind });
    const sorted = sortedEntries([
      entry('b10.ipynb', 'file'),
      entry('B2.ipynb', 'file'),
      entry('zeta', 'folder'),
      entry('alpha', 'folder'),
    ]);
    expect(sorted.map(({ name }) => name)).toEqual(['alpha', 'zeta', 'B2.ipynb', 'b10.ipynb']);
  });

  it('reads paths of every system', () => {
    expect([folderName('/a/b/'), folderName('C:\\x\\y'), folderName('/')]).toEqual(['b', 'y', '/']);
    expect([parentFolder('/a/b.ipynb'), parentFolder('C:\\x\\y.ipynb'), parentFolder('/b'), parentFolder('b')]).toEqual([
      '/a',
      'C:\\x',
      '/',
      null,
    ]);
    expect([shortPath('/home/ada/x', '/home/ada'), shortPath('/home/adam/x', '/home/ada'), shortPath('/x', '')]).toEqual([
      '~/x',
      '/home/adam/x',
      '/x',
    ]);
  });
});

describe('layout', () => {
  it('takes only what makes sense from what was remembered', () => {
    const usual = restoreLayout(null);
    expect(restoreLayout('not json')).toEqual(usual);
    expect(restoreLayout('[]')).toEqual(usual);
    expect(restoreLayout('{"files":"yes","width":9999,"outline":false}')).toEqual({ ...usual, outline: false, width: 480 });
    expect(restoreLayout('{"width":10.4,"agentsWidth":300.4}')).toEqual({ ...usual, width: 180, agentsWidth: 300 });
  });
});
