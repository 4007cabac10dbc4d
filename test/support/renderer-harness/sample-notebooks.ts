/** Notebooks to look at: one with every kind of cell and state, and one with thousands of cells. */
import type { CellRun, WindowOutput } from '../../../preload/contract.ts';
import type { CellFields, CellType } from '../../../preload/notebook-model.ts';
import type { FakeNotebook } from './fake-main.ts';
import { IDLE } from './fake-main.ts';

const cell = (key: string, type: CellType, source: string, metadata: Record<string, unknown> = {}): CellFields => ({
  key,
  id: key,
  type,
  source,
  metadata,
});
const ran = (executionCount: number, durationMs: number, more: Partial<CellRun> = {}): CellRun => ({
  ...IDLE,
  state: 'done',
  executionCount,
  durationMs,
  startedAt: 0,
  ...more,
});
const text = (value: string): WindowOutput => ({ type: 'stream', name: 'stdout', text: value });
const result = (count: number, value: string): WindowOutput => ({
  type: 'execute_result',
  data: { 'text/plain': { kind: 'inline', value } },
  metadata: {},
  executionCount: count,
});

export const SALES: FakeNotebook = {
  path: '/home/ada/project/analysis.ipynb',
  title: 'analysis.ipynb',
  cells: [
    cell(
      'intro',
      'markdown',
      '# Quarterly sales\n\nWe load the *sales* table, clean it, and fit a small model. Prices are in **euro**; see the [notes](https://example.org).\n\n- one row per order\n- amounts with `float64`',
    ),
    cell(
      'load',
      'code',
      'import pandas as pd\nfrom pathlib import Path\n\ndf = pd.read_parquet(Path("data") / "sales.parquet")  # one row per order\ndf.head()',
    ),
    cell('clean-h', 'markdown', '## Clean'),
    cell(
      'clean',
      'code',
      '@cached\ndef clean(df: pd.DataFrame, *, floor: float = 0.5) -> pd.DataFrame:\n    """Drop rows without a price."""\n    kept = df[df.price > floor]\n    print(f"{len(kept):,} of {len(df):,} rows kept")\n    return kept.assign(total=lambda d: d.price * d.amount)\n\nsales = clean(df)',
    ),
    cell('fit-h', 'markdown', '## Fit\n\nThe loss is $\\mathcal{L} = \\sum_i (y_i - \\hat y_i)^2$.'),
    cell(
      'fit',
      'code',
      'for epoch in range(10):\n    loss = model.step(sales)\n    print(f"epoch {epoch + 1}/10  loss {loss:.2f}")\ntime.sleep(3)',
    ),
    cell('plot', 'code', '%matplotlib inline\nsales.plot(x="week", y="total")'),
    cell('bad', 'code', 'def fit(df):\n    raise ValueError("the sample needs at least two rows")'),
    cell('ask', 'code', 'name = input("Name: ")\nname'),
    cell('raw', 'raw', '---\ntitle: Sales\n---'),
    cell('last', 'code', ''),
  ],
  outputs: {
    load: [
      result(
        3,
        '   week  price  amount\n0     1   9.90       3\n1     1  12.50       1\n2     2   9.90       7\n3     2   4.20      12\n4     3  12.50       2',
      ),
    ],
    clean: [text('48,211 of 50,000 rows kept\n')],
  },
  runs: {
    load: ran(3, 1240),
    clean: ran(4, 86, { stale: 'edited' }),
    fit: { ...IDLE, executionCount: 5 },
  },
};

/** As many cells as asked for: code, some markdown, some outputs. */
export function longNotebook(count: number): FakeNotebook {
  const cells: CellFields[] = [];
  const outputs: Record<string, WindowOutput[]> = {};
  for (let index = 0; index < count; index += 1) {
    const key = `c${index}`;
    if (index % 10 === 0)
      cells.push(cell(key, 'markdown', `## Part ${index / 10 + 1}\n\nSome words on what the next cells do, and why they do it.`));
    else
      cells.push(
        cell(
          key,
          'code',
          `value_${index} = compute(${index})\n${index % 3 === 0 ? 'for i in range(10):\n    total += i\n' : ''}value_${index}`,
        ),
      );
    if (index % 4 === 1) outputs[key] = [text(`result of ${index}\n`.repeat((index % 7) + 1))];
  }
  return { path: '/home/ada/project/long.ipynb', title: 'long.ipynb', cells, outputs };
}
