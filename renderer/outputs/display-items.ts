/**
 * The outputs of a cell as they are drawn: neighbouring streams of one name are one text (some kernels store every line as an output of
 * its own), and questions with their answers belong to what is printed around them, as in a terminal. Everything else stands alone. Pure; the
 * outputs themselves stay as they are.
 */
import type { WindowOutput } from '../../preload/contract.ts';
import type { StreamOutput } from '../../preload/output-change.ts';

/** A part of a stream that was left out, at an offset of the joined text. */
export interface Gap {
  at: number;
  lines: number;
  bytes: number;
  artifactId: string | null;
}

export interface StreamItem {
  kind: 'stream';
  /** Index of the first output in it: stable while the stream grows. */
  index: number;
  name: 'stdout' | 'stderr';
  text: string;
  gaps: readonly Gap[];
}

export interface SingleItem {
  kind: 'single';
  index: number;
  output: Exclude<WindowOutput, StreamOutput>;
}

export type DisplayItem = StreamItem | SingleItem;

export function displayItems(outputs: readonly WindowOutput[]): DisplayItem[] {
  const items: DisplayItem[] = [];
  let at = 0;
  while (at < outputs.length) {
    const output = outputs[at]!;
    if (output.type !== 'stream') {
      items.push({ kind: 'single', index: at, output });
      at += 1;
      continue;
    }
    const run: StreamOutput[] = [];
    const first = at;
    for (let next = outputs[at]; next?.type === 'stream' && shownAs(next) === shownAs(output); next = outputs[at]) {
      run.push(next);
      at += 1;
    }
    items.push(joinStreams(run, first));
  }
  return items;
}

function shownAs({ name }: StreamOutput): StreamItem['name'] {
  return name === 'stderr' ? 'stderr' : 'stdout';
}

function joinStreams(run: readonly StreamOutput[], index: number): StreamItem {
  const gaps: Gap[] = [];
  let length = 0;
  for (const { text, omitted } of run) {
    if (omitted) {
      gaps.push({ at: length + omitted.at, lines: omitted.lines, bytes: omitted.bytes, artifactId: omitted.artifactId });
    }
    length += text.length;
  }
  const text = run.length === 1 ? run[0]!.text : run.map((part) => part.text).join('');
  return { kind: 'stream', index, name: shownAs(run[0]!), text, gaps };
}

/** The stream's text between its gaps; there is one more section than gaps. */
export function streamSections(item: Pick<StreamItem, 'text' | 'gaps'>): string[] {
  const sections: string[] = [];
  let from = 0;
  for (const gap of item.gaps) {
    sections.push(item.text.slice(from, gap.at));
    from = gap.at;
  }
  sections.push(item.text.slice(from));
  return sections;
}
