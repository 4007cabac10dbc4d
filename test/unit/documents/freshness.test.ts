/** Which cells are stale and why: the rule on values, and the document that follows edits, runs, restarts and moves. */
import { describe, expect, it } from 'vitest';
import { type FreshnessFacts, staleReasons } from '../../../main/documents/cell-freshness.ts';
import type { NotebookDocument } from '../../../main/documents/notebook-document.ts';
import type { StaleReason } from '../../../preload/contract.ts';
import { deleteCells, moveCell, setCellType, setSource } from '../../../preload/notebook-model.ts';
import { type CellJson, code, markdown, notebook, stream, temporaryFolder } from './temporary-folder.ts';

type Short = Partial<Omit<FreshnessFacts, 'key' | 'run'>> & { run?: number; life?: string };

/** The reasons in the order of the cells; `life` is the kernel of a run, `now` the present one. */
function reasons(cells: readonly Short[], now: string | null = 'now'): (StaleReason | null)[] {
  const facts = cells.map(({ run, life, ...rest }, index): FreshnessFacts => {
    const mark = run === undefined ? null : { order: run, kernelLife: life ?? now };
    return { key: `${index}`, isRunnable: true, isEdited: false, storedCount: null, ...rest, run: mark };
  });
  const found = staleReasons(facts, now);
  return facts.map(({ key }) => found.get(key) ?? null);
}

describe('the rule', () => {
  it.each<[string, Short[], (StaleReason | null)[]]>([
    ['run from above to below', [{ run: 1 }, { run: 2 }, { run: 3 }], [null, null, null]],
    ['a cell above was run again', [{ run: 4 }, { run: 2 }, { run: 3 }], [null, 'out-of-order', 'out-of-order']],
    ['a cell below was run again', [{ run: 1 }, { run: 3 }], [null, null]],
    ['run backwards', [{ run: 3 }, { run: 2 }, { run: 1 }], [null, 'out-of-order', 'out-of-order']],
    ['edited since', [{ run: 1, isEdited: true }, { run: 2 }], ['edited', null]],
    ['edited and overtaken', [{ run: 3 }, { run: 2, isEdited: true }], [null, 'edited']],
    ['a restart between', [{ run: 1, life: 'before' }, { run: 2 }], ['kernel-restarted', null]],
    ['a restart, and the one above is of the new kernel', [{ run: 2 }, { run: 1, life: 'before' }], [null, 'kernel-restarted']],
    ['never run', [{ run: 1 }, {}], [null, 'not-run']],
    ['nothing to run', [{ isRunnable: false }, { isRunnable: false, run: 9 }, { run: 1 }], [null, null, null]],
    ['counts of a file in order', [{ storedCount: 1 }, { storedCount: 2 }], ['not-run', 'not-run']],
    ['counts of a file out of order', [{ storedCount: 5 }, {}, { storedCount: 3 }], ['not-run', 'not-run', 'out-of-order']],
    ['counts of a file say nothing about runs of this session', [{ storedCount: 5 }, { run: 1 }], ['not-run', null]],
  ])('%s', (_name, cells, expected) => {
    expect(reasons(cells)).toEqual(expected);
  });
});

describe('a document', () => {
  const folder = temporaryFolder();

  async function open(...cells: CellJson[]): Promise<{ document: NotebookDocument; keys: string[]; stale: () => (StaleReason | null)[] }> {
    const document = await folder.open(notebook(cells));
    const keys = document.keys();
    return { document, keys, stale: () => document.keys().map((key) => document.freshness.reason(key)) };
  }

  function run(document: NotebookDocument, key: string): void {
    document.beginRun(key, document.cell(key)!.source);
    document.applyOutputs(key, [stream('out')]);
    document.endRun(key);
  }

  it('tells of runs, edits, restarts, moves and types as they happen', async () => {
    const { document, keys, stale } = await open(code(['a']), markdown(['words']), code(['b']), code([]));
    const [a, , b] = keys as [string, string, string, string];
    expect(stale()).toEqual(['not-run', null, 'not-run', null]);
    document.setKernelLife('first');
    run(document, a);
    run(document, b);
    expect(stale()).toEqual([null, null, null, null]);
    setSource(document.ydoc, a, 'changed');
    expect(stale()).toEqual(['edited', null, null, null]);
    run(document, a);
    expect(stale()).toEqual([null, null, 'out-of-order', null]);
    moveCell(document.ydoc, b, 0);
    expect(stale()).toEqual([null, null, null, null]);
    document.setKernelLife('second');
    expect(stale()).toEqual(['kernel-restarted', 'kernel-restarted', null, null]);
    setCellType(document.ydoc, a, 'markdown');
    expect(stale()).toEqual(['kernel-restarted', null, null, null]);
    deleteCells(document.ydoc, [b]);
    expect([...document.freshness.stale()]).toEqual([]);
  });

  it('says once that answers may have changed, and not for each keystroke', async () => {
    const { document, keys } = await open(code(['a']), code(['b']));
    const [a] = keys as [string];
    run(document, a);
    setSource(document.ydoc, a, 'a1');
    expect(document.freshness.reason(a)).toBe('edited');
    let told = 0;
    document.on('freshness', () => {
      told += 1;
    });
    for (const text of ['a12', 'a123', 'a1234']) setSource(document.ydoc, a, text);
    expect(told).toBe(0);
    setSource(document.ydoc, a, 'a');
    expect(told).toBe(1);
    expect(document.freshness.reason(a)).toBeNull();
  });

  it('shows stored outputs as stale only when there is a kernel that they do not come from', async () => {
    const output = { name: 'stdout', output_type: 'stream', text: ['old'] };
    const { document, keys } = await open(code(['a'], { outputs: [output] }), code(['b']));
    expect([...document.freshness.staleOutputs()]).toEqual([]);
    document.setKernelLife('first');
    expect([...document.freshness.staleOutputs()]).toEqual([[keys[0], 'not-run']]);
    run(document, keys[1]!);
    run(document, keys[0]!);
    expect([...document.freshness.staleOutputs()]).toEqual([[keys[1], 'out-of-order']]);
  });
});
