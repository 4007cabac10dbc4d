import { describe, expect, test } from 'vitest';
import type { TracebackFrame } from '../../../renderer/outputs/traceback.ts';
import { mainFrame, parseTraceback } from '../../../renderer/outputs/traceback.ts';
import recorded from './fixtures/tracebacks.json';

/** Tracebacks as real kernels sent them, by version of IPython and by what went wrong. */
const versions: Record<string, Record<string, { traceback: string[] }>> = recorded;

function short(frame: TracebackFrame): string {
  return `${frame.own ? 'own ' : ''}${frame.place}${frame.call === null ? '' : ` in ${frame.call}`}${frame.repeats > 1 ? ` ×${frame.repeats}` : ''}`;
}

function parsed(version: string, name: string) {
  const traceback = parseTraceback(versions[version]![name]!.traceback);
  if (!traceback) throw new Error(`${version} ${name} was not understood`);
  const last = traceback.parts.at(-1)!;
  const main = mainFrame(last)!;
  return { traceback, last, main, current: main.lines.find((line) => line.current) };
}

describe.each(Object.keys(versions))('%s', (version) => {
  test.each<[string, string[], string, string]>([
    [
      'zero_division',
      ['own Cell In[1], line 8', 'own Cell In[1], line 6 in outer(y)', 'own Cell In[1], line 2 in inner(x)'],
      'ZeroDivisionError: division by zero',
      '    return 1 / x',
    ],
    ['name', ['own Cell In[2], line 1'], "NameError: name 'undefined_name' is not defined", 'print(undefined_name)'],
    ['syntax', ['own Cell In[3], line 2'], "SyntaxError: expected ':'", 'for i in range(3)'],
    ['indent', ['own Cell In[4], line 2'], 'IndentationError: expected an indented block after function definition on line 1', 'return 1'],
    [
      'library_callback',
      ['own Cell In[8], line 2', 'own Cell In[8], line 2 in <lambda>(a, b)'],
      'ZeroDivisionError: division by zero',
      'functools.reduce(lambda a, b: a / b, [1, 0])',
    ],
    [
      'multiline_value',
      ['own Cell In[10], line 1'],
      'RuntimeError: first line\nsecond line\n  third <i>',
      "raise RuntimeError('first line\\nsecond line\\n  third <i>')",
    ],
    ['interrupt', ['own Cell In[13], line 2'], 'KeyboardInterrupt:', 'os.kill(os.getpid(), signal.SIGINT)'],
    ['assertion', ['own Cell In[15], line 1'], 'AssertionError:', 'assert 1 == 2'],
    [
      'file_module',
      ['own Cell In[19], line 3', 'own /home/ada/project/helper_mod.py:3 in go()'],
      "AttributeError: 'NoneType' object has no attribute 'missing'",
      '    return value.missing',
    ],
    ['empty_value', ['own Cell In[22], line 1'], 'ValueError:', 'raise ValueError'],
  ])('%s', (name, frames, title, source) => {
    const { traceback, last, current } = parsed(version, name);
    expect(traceback.parts).toHaveLength(1);
    expect(last.frames.map(short)).toEqual(frames);
    expect(last.title).toBe(title);
    expect(current?.text).toBe(source);
  });

  test('frames of the library are not the person’s own; the last own one comes first', () => {
    const { last, main } = parsed(version, 'library');
    expect(last.frames.map((frame) => frame.own)).toEqual([true, true, false, false, false]);
    expect(short(main)).toBe('own Cell In[7], line 3 in load(text)');
  });

  test('a chain of exceptions', () => {
    const { traceback } = parsed(version, 'chained');
    expect(traceback.parts.map((part) => [part.title, part.relation])).toEqual([
      ["KeyError: 'a'", null],
      ['ValueError: bad key <b>', 'The above exception was the direct cause of the following exception:'],
    ]);
    expect(parsed(version, 'during').last.relation).toBe('During handling of the above exception, another exception occurred:');
  });

  test('a recursion is one frame that says how often', () => {
    const { last } = parsed(version, 'recursion');
    expect(last.frames.map((frame) => frame.place)).toEqual(['Cell In[9], line 3', 'Cell In[9], line 2']);
    expect(last.frames[1]!.repeats).toBeGreaterThan(10);
  });

  test('a syntax error in an imported file: place, source and caret', () => {
    const { main, current } = parsed(version, 'file_syntax');
    expect(short(main)).toBe('own /home/ada/project/broken_mod.py:1');
    expect(current).toMatchObject({ number: 1, text: 'def go(:' });
    expect(current!.text.slice(...current!.mark!)).toBe(':');
  });

  test('a caret behind the end of the line is kept', () => {
    expect(parsed(version, 'syntax').current).toMatchObject({ number: 2, text: 'for i in range(3)', mark: [17, 18] });
  });

  test('code that was made up has no source and is nobody’s', () => {
    const { last, main } = parsed(version, 'exec');
    expect(last.frames.at(-1)).toMatchObject({ place: '<made up>:1', own: false, lines: [] });
    expect(main.place).toBe('Cell In[18], line 1');
  });

  test('a failing repr shows the person’s method', () => {
    expect(short(parsed(version, 'bad_repr').main)).toContain('own Cell In[16], line 3 in A.__repr__(self)');
  });

  test.each(['system_exit', 'system_exit_message'])('%s has no frames', (name) => {
    expect(parseTraceback(versions[version]![name]!.traceback)).toBeNull();
  });

  test('every frame has a place of its own and lines without colours', () => {
    for (const { traceback } of Object.values(versions[version]!)) {
      const steps = parseTraceback(traceback)?.parts.flatMap((part) => part.frames) ?? [];
      expect(new Set(steps.map((frame) => frame.step)).size).toBe(steps.length);
      for (const frame of steps) for (const line of frame.lines) expect(line.text).not.toContain('\x1b');
    }
  });
});

test('IPython 8 marks the expression that failed', () => {
  const marked = (name: string) => {
    const { current } = parsed('IPython 8.18', name);
    return current!.text.slice(...current!.mark!);
  };
  expect(marked('zero_division')).toBe('1 / x');
  expect(marked('library_callback')).toBe('a / b');
  expect(marked('library')).toBe('json.loads(text)');
});

test.each<[string, string[], string[]]>([
  [
    'IPython 7',
    [
      '---------------------------------------------------------------------------',
      'NameError                                 Traceback (most recent call last)',
      '<ipython-input-3-5a54> in <module>\n      1 def f():\n      2     return x\n----> 3 f()\n',
      '<ipython-input-3-5a54> in f()\n      1 def f():\n----> 2     return x\n      3 f()\n',
      "NameError: name 'x' is not defined",
    ],
    ['own <ipython-input-3-5a54>', 'own <ipython-input-3-5a54> in f()'],
  ],
  [
    'IPython 7, a library by its path',
    [
      '~/.local/lib/python3.8/site-packages/pandas/core/frame.py in __getitem__(self, key)\n   2901             if self.columns.nlevels > 1:\n-> 2902                 return 1\n',
      'KeyError: 1',
    ],
    ['~/.local/lib/python3.8/site-packages/pandas/core/frame.py in __getitem__(self, key)'],
  ],
  [
    'IPython 8.0',
    ['Input In [3], in <cell line: 1>()\n----> 1 f()\n', 'Input In [3], in f()\n----> 1 def f(): g\n', 'NameError: g'],
    ['own Input In [3]', 'own Input In [3] in f()'],
  ],
  ['IPython 8.5', ['Cell In [3], line 1\n----> 1 f()\n', 'NameError: g'], ['own Cell In [3], line 1']],
  [
    'Windows',
    ['File C:\\Users\\ada\\work\\load.py:4, in load()\n----> 4 g()\n', 'NameError: g'],
    ['own C:\\Users\\ada\\work\\load.py:4 in load()'],
  ],
  [
    'Windows, standard library',
    [
      'File C:\\Python312\\Lib\\json\\decoder.py:4, in load()\n----> 4 g()\n',
      'File C:\\venv\\Lib\\site-packages\\numpy\\x.py:4, in g()\n----> 4 g()\n',
      'E: g',
    ],
    ['C:\\Python312\\Lib\\json\\decoder.py:4 in load()', 'C:\\venv\\Lib\\site-packages\\numpy\\x.py:4 in g()'],
  ],
  [
    'plain Python',
    ['Traceback (most recent call last):', '  File "/home/ada/x.py", line 3, in <module>\n    f()', 'NameError: f'],
    ['own /home/ada/x.py:3'],
  ],
])('%s', (_name, traceback, frames) => {
  expect(parseTraceback(traceback)?.parts.at(-1)?.frames.map(short)).toEqual(frames);
});

test.each<[string, string[]]>([
  [
    'Julia',
    ['DivideError: integer division error', '', 'Stacktrace:', ' [1] div at ./int.jl:295 [inlined]', ' [2] top-level scope at In[3]:1'],
  ],
  ['R', ['Error in f(): could not find function "f"\nTraceback:\n', '1. f()']],
  ['C++', ['input_line_7:2:3: error: use of undeclared identifier']],
  ['nothing', []],
  ['only colours', ['\x1b[31m\x1b[0m']],
])('not Python: %s', (_name, traceback) => {
  expect(parseTraceback(traceback)).toBeNull();
});
