/** One of everything, for looking at: `?sample=streams`, `errors`, `data`, `markdown`. */
import type { StaleReason, WindowOutput, WindowPayload } from '../../../preload/contract.ts';
import tracebacks from '../../unit/outputs/fixtures/tracebacks.json';
import { MARKDOWN } from './markdown-sample.ts';

export interface Samples {
  areas: { name: string; outputs: WindowOutput[]; trusted?: boolean; stale?: StaleReason }[];
  texts: { name: string; source: string; images?: Record<string, string> }[];
}

const ESC = '\x1b';
const stream = (text: string, name: 'stdout' | 'stderr' = 'stdout'): WindowOutput => ({ type: 'stream', name, text });
const inline = (value: unknown): WindowPayload => ({ kind: 'inline', value });
const url = (address: string, bytes = 1000): WindowPayload => ({ kind: 'url', url: address, bytes });
const data = (payloads: Record<string, WindowPayload>, metadata: Record<string, unknown> = {}): WindowOutput => ({
  type: 'display_data',
  data: payloads,
  metadata,
  executionCount: null,
});
const error = (version: keyof typeof tracebacks, name: string): WindowOutput => {
  const found = (tracebacks[version] as Record<string, { ename: string; evalue: string; traceback: string[] }>)[name]!;
  return { type: 'error', ename: found.ename, evalue: found.evalue, traceback: found.traceback };
};

function palette(): string {
  const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
  const row = (base: number): string => names.map((name, index) => `${ESC}[${base + index}m ${name} ${ESC}[0m`).join('');
  const cube = Array.from({ length: 36 }, (_, index) => `${ESC}[38;5;${16 + index * 6}m■${index}${ESC}[0m`).join(' ');
  const blocks = Array.from({ length: 40 }, (_, index) => `${ESC}[48;2;${index * 6};${255 - index * 6};140m  `).join('');
  return [
    row(30),
    row(90),
    row(40),
    row(100),
    `${ESC}[1mbold${ESC}[0m ${ESC}[2mfaint${ESC}[0m ${ESC}[3mitalic${ESC}[0m ${ESC}[4munderline${ESC}[0m ${ESC}[7minverse${ESC}[0m ${ESC}[7;31minverse red${ESC}[0m ${ESC}[9mstrike${ESC}[0m`,
    `${ESC}[31;43mred on yellow${ESC}[0m ${ESC}[30;43mblack on yellow${ESC}[0m ${ESC}[97;41mwhite on red${ESC}[0m`,
    cube,
    `${blocks}${ESC}[0m`,
    `${ESC}]8;;https://example.org${ESC}\\a link${ESC}]8;;${ESC}\\ and https://example.org/a(b), plain.`,
  ].join('\n');
}

const long = Array.from({ length: 400 }, (_, line) => `epoch ${line}  loss ${(4 / (line + 1)).toFixed(4)}  ${ESC}[32mok${ESC}[0m`).join(
  '\n',
);

export function samples(name: string): Samples {
  switch (name) {
    case 'streams':
      return {
        areas: [
          {
            name: 'print("hello")',
            outputs: [stream('hello\nworld\n'), stream('a warning from a library\n', 'stderr'), stream('and on\n')],
          },
          { name: 'colours', outputs: [stream(palette())] },
          { name: 'fit(model)', outputs: [stream(`${long}\n`)] },
          {
            name: 'left out',
            outputs: [
              {
                type: 'stream',
                name: 'stdout',
                text: 'first\nsecond\nlast but one\nlast\n',
                omitted: { lines: 12410, bytes: 4e6, at: 13, artifactId: '3' },
              },
            ],
          },
          { name: 'stale', outputs: [stream('made by older code\nof two lines\n')], stale: 'edited' },
          { name: 'progress', outputs: [stream('10%|#         | 1/10\r50%|#####     | 5/10\r100%|##########| 10/10\n', 'stderr')] },
        ],
        texts: [],
      };
    case 'errors':
      return {
        areas: ['library', 'chained', 'syntax', 'recursion', 'interrupt', 'multiline_value', 'file_syntax']
          .map((each) => ({ name: each, outputs: [error('IPython 9.18', each)] }))
          .concat([
            { name: 'IPython 8', outputs: [error('IPython 8.18', 'library_callback')] },
            {
              name: 'Julia',
              outputs: [
                {
                  type: 'error',
                  ename: 'DivideError',
                  evalue: 'integer division error',
                  traceback: [
                    'DivideError: integer division error',
                    '',
                    'Stacktrace:',
                    ` [1] ${ESC}[1mdiv${ESC}[22m at ./int.jl:295 [inlined]`,
                    ' [2] top-level scope at In[3]:1',
                  ],
                },
              ],
            },
          ]),
        texts: [],
      };
    case 'data':
      return {
        areas: [
          {
            name: 'df.head()',
            outputs: [data({ 'text/html': url('/frame/table'), 'text/plain': inline('     city    sales\n0  Aachen  1203.50') })],
          },
          { name: 'plot', outputs: [data({ 'image/png': url('/sample/plot.png'), 'text/plain': inline('<Figure size 600x320>') })] },
          { name: 'transparent plot', outputs: [data({ 'image/png': url('/sample/plot-transparent.png') })] },
          { name: 'svg', outputs: [data({ 'image/svg+xml': url('/sample/plot.svg') }, { 'image/svg+xml': { isolated: true } })] },
          { name: 'untrusted script', outputs: [data({ 'text/html': url('/frame/script') })] },
          { name: 'javascript', outputs: [data({ 'application/javascript': url('/frame/javascript') })] },
          { name: 'large', outputs: [data({ 'text/html': url('/frame/table', 14_200_000) })] },
          {
            name: 'json',
            outputs: [
              data({
                'application/json': inline({
                  name: 'run 12',
                  ok: true,
                  none: null,
                  scores: Array.from({ length: 250 }, (_, at) => at / 10),
                  nested: { a: { b: [1, 2, { c: 'deep' }] } },
                  text: 'x'.repeat(900),
                }),
              }),
            ],
          },
          {
            name: 'latex',
            outputs: [
              data({
                'text/latex': inline('$\\displaystyle \\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}$'),
                'text/plain': inline('Integral'),
              }),
            ],
          },
          {
            name: 'widget',
            outputs: [
              data({ 'application/vnd.jupyter.widget-view+json': inline({ model_id: '1' }), 'text/plain': inline('IntSlider(value=4)') }),
            ],
          },
          { name: 'markdown', outputs: [data({ 'text/markdown': inline('**Done** in `1.2 s`, see [the page](https://example.org).') })] },
          { name: 'broken', outputs: [data({ 'image/png': url('/nothing.png'), 'text/plain': inline('<Figure>') })] },
          {
            name: 'result',
            outputs: [
              { type: 'execute_result', data: { 'text/plain': inline("{'a': 1, 'b': [1, 2, 3]}") }, metadata: {}, executionCount: 4 },
            ],
          },
        ],
        texts: [],
      };
    default:
      return { areas: [], texts: [{ name: 'prose', ...MARKDOWN }] };
  }
}
