/** Outputs of a session as nbformat's text: spilled payloads come back whole from their artifacts, left-out text is said. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { USUAL_STYLE } from '../../../main/documents/json-text.ts';
import { outputsValue } from '../../../main/documents/output-writer.ts';
import { decodeOutputs } from '../../../main/documents/stored-outputs.ts';
import type { RawPayload, SpilledPayload } from '../../../main/execution/run-protocol.ts';
import type { Output } from '../../../preload/output-change.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

async function written(
  outputs: Output<RawPayload>[],
  notes = new Set<string>(),
): Promise<{ text: string; json: Record<string, unknown>[] }> {
  const text = (await outputsValue(outputs, USUAL_STYLE, notes)).text.toString();
  return { text, json: JSON.parse(text) as Record<string, unknown>[] };
}

function spilled(encoding: SpilledPayload['encoding'], content: Buffer | string): SpilledPayload {
  const file = folder.path(`artifact-${encoding}`);
  writeFileSync(file, content);
  return { $artifact: '7', file, bytes: Buffer.byteLength(content), encoding };
}

const data = (bundle: Record<string, RawPayload>): Output<RawPayload> => ({
  type: 'display_data',
  data: bundle,
  metadata: {},
  executionCount: null,
});

it('numbers of a kernel that no value holds are written with all their digits', async () => {
  const output = { ...data({ 'application/json': { id: 9007199254740992 } }), exact: { 'application/json': '{"id":9007199254740993}' } };
  expect((await written([output as Output<RawPayload>])).text).toContain('"id": 9007199254740993\n');
});

describe('spilled payloads', () => {
  const bytes = Buffer.from(Array.from({ length: 2_000_001 }, (_value, index) => (index * 31 + (index >> 8)) & 255));
  const text = `${'line é 😀 "quoted"\n'.repeat(60_000)}end`;

  it.each<[string, string, SpilledPayload['encoding'], Buffer | string, unknown]>([
    ['an image', 'image/png', 'base64', bytes, bytes.toString('base64')],
    ['an image whose base64 ends in a line feed', 'image/png', 'base64-lf', bytes, `${bytes.toString('base64')}\n`],
    ['text, as lines', 'text/html', 'utf8', text, text.split(/(?<=\n)/)],
    ['text of another type, as one string', 'application/x-latex', 'utf8', text, text],
    ['JSON, as it is', 'application/json', 'json', '{"a":[1.0,2]}', { a: [1, 2] }],
    ['nothing', 'text/plain', 'utf8', '', []],
  ])('%s', async (_name, mime, encoding, content, expected) => {
    expect((await written([data({ [mime]: spilled(encoding, content) })])).json[0]!.data).toEqual({ [mime]: expected });
  });

  it('whose artifact is gone are said, in the file and to the person', async () => {
    const notes = new Set<string>();
    const { json } = await written([data({ 'image/png': { ...spilled('base64', 'x'), file: folder.path('gone') } })], notes);
    expect(json[0]!.data).toEqual({ 'image/png': '[image/png, 1 bytes: its artifact://7 was gone when the notebook was saved]' });
    expect([...notes]).toEqual(['A large image/png output could not be saved: its artifact://7 is gone.']);
  });
});

describe('streams whose middle was left out', () => {
  it.each([
    [
      'a\n',
      'z\n',
      '3',
      undefined,
      ['a\n', '[... 1,234 lines (56,789 bytes) left out here; the whole output is artifact://3 ...]\n', 'z\n'],
    ],
    [
      'a',
      'z',
      null,
      'ENOSPC: no space left on device',
      ['a\n', '[... 1,234 lines (56,789 bytes) left out here; it was not kept elsewhere (ENOSPC: no space left on device) ...]\n', 'z'],
    ],
    ['', 'z', null, undefined, ['[... 1,234 lines (56,789 bytes) left out here; it was not kept elsewhere ...]\n', 'z']],
  ])('%j … %j', async (head, tail, artifactId, failure, lines) => {
    const omitted = { lines: 1_234, bytes: 56_789, at: head.length, artifactId, ...(failure ? { failure } : {}) };
    const { json } = await written([{ type: 'stream', name: 'stdout', text: head + tail, omitted }]);
    expect(json).toEqual([{ name: 'stdout', output_type: 'stream', text: lines }]);
  });
});

it('two hundred thousand printed lines are written in slices and in the usual form', async () => {
  const lines = Array.from({ length: 200_000 }, (_value, index) => `${index}\n`);
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 1);
  const { text, json } = await written([{ type: 'stream', name: 'stdout', text: lines.join('') }]);
  clearInterval(ticking);
  expect(json[0]!.text).toHaveLength(200_000);
  expect(text.replaceAll('\n   ', '\n')).toBe(JSON.stringify(json, null, 1));
  // Others had their turn while it was written.
  expect(turns).toBeGreaterThan(3);
});

it('what is written decodes to the same outputs', async () => {
  const outputs: Output<RawPayload>[] = [
    { type: 'stream', name: 'stderr', text: 'a\r\nb\u2028c' },
    { type: 'stream', name: 'stdin', text: 'name? Ada\n' },
    { type: 'error', ename: 'E', evalue: '', traceback: ['\u001b[31mx'] },
    {
      type: 'execute_result',
      data: { 'text/plain': 'x\ny', 'image/png': 'AAAA', 'application/vnd.a+json': { k: [null, 1.5] } },
      metadata: { m: 1 },
      executionCount: 3,
    },
    data({}),
  ];
  const { text, count } = await outputsValue(outputs, USUAL_STYLE, new Set());
  expect(decodeOutputs({ bytes: text, start: 0, end: text.length, count })).toEqual(outputs);
});
