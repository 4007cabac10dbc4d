/** Cards of every kind and state, for looking at them and for scrolling through a thousand. */
import type { CallCard, CardCell } from '../../../preload/agent-sessions.ts';
import type { ScriptedAgents } from './scripted-agents.ts';

export const NOTEBOOK = '/home/ada/project/analysis.ipynb';

export function edit(more: Partial<Extract<CallCard, { kind: 'notebook' }>> = {}): CallCard {
  return {
    kind: 'notebook',
    action: 'edit',
    path: NOTEBOOK,
    cellIndex: 3,
    cellType: 'code',
    summary: 'Edited code cell 3 of analysis.ipynb; 11 cells in all.',
    source: '',
    before: null,
    ...more,
  };
}

export function cell(more: Partial<CardCell> = {}): CardCell {
  return {
    title: '',
    code: 'df = load("sales.parquet")\ndf.head()',
    status: 'complete',
    text: '',
    truncation: null,
    durationMs: 240,
    executionCount: null,
    images: [],
    json: [],
    statusEvents: [],
    ...more,
  };
}

export function cells(list: CardCell[], more: Partial<Extract<CallCard, { kind: 'cells' }>> = {}): CallCard {
  return { kind: 'cells', path: null, cwd: '/home/ada/project', cells: list, summary: '', ...more };
}

export function plain(title: string, summary: string, detail: string | null = null): CallCard {
  return { kind: 'plain', title, summary, detail };
}

const PLOT = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="240"><rect width="480" height="240" fill="#fff"/><path d="M20 200 C 90 40, 160 220, 250 110 S 400 60, 460 30" fill="none" stroke="#3368c1" stroke-width="3"/><path d="M20 20V220H470" stroke="#999" fill="none"/></svg>',
)}`;

const CLEAN = [
  '@cached',
  'def clean(df: pd.DataFrame, *, floor: float = 0.5) -> pd.DataFrame:',
  '    """Drop rows without a price."""',
  '    kept = df[df.price > floor]',
  '    print(f"{len(kept):,} of {len(df):,} rows kept")',
  '    return kept.assign(total=lambda d: d.price * d.amount)',
  '',
  'sales = clean(df)',
];

/** One agent's morning: every kind of card, and at the end what asks and what runs. */
export function tellMorning(agents: ScriptedAgents, agentId: string, docId: string | null): void {
  const where = { agentId, docId };
  agents.put({ ...where, tool: 'notebook_read', card: plain('outline', '11 cells, 7 of them code; 2 were never run.') });
  agents.put({
    ...where,
    cellKeys: ['clean'],
    card: edit({ source: CLEAN.join('\n'), before: CLEAN.join('\n').replace('0.5', '0').replace('@cached\n', '') }),
  });
  agents.put({
    ...where,
    cellKeys: ['fit-h'],
    card: edit({
      action: 'insert',
      cellIndex: 4,
      cellType: 'markdown',
      source: '## Fit\n\nThe loss is the mean of the squared differences, taken over all weeks that have more than ten orders.',
      summary: 'Inserted markdown cell 4 into analysis.ipynb; 12 cells in all.',
    }),
  });
  agents.put({
    ...where,
    state: 'failed',
    card: edit({
      cellIndex: 19,
      cellType: null,
      source: null,
      summary: 'Error: cell_index 19 is out of range for analysis.ipynb: it has 12 cells, 0 to 11. Read the outline and try again.',
    }),
  });
  agents.change(agentId, { turn: 2 });
  agents.put({
    ...where,
    card: cells(
      [
        cell({
          title: 'Load the table',
          code: 'import pandas as pd\nfrom pathlib import Path\n\n# one row per order\ndf = pd.read_parquet(Path("data") / "sales.parquet")\ndf = df[df.price > 0]\ndf["week"] = df.date.dt.isocalendar().week\ndf.describe()',
          text: '             price        amount\ncount  50000.00000  50000.000000\nmean       9.81240      4.200000\nstd        3.10200      2.900000\nmin        0.50000      1.000000\n25%        7.20000      2.000000\n50%        9.90000      4.000000\n75%       12.50000      6.000000\nmax       25.00000     12.000000\n',
          executionCount: 4,
          statusEvents: [
            { op: 'read', path: 'data/sales.parquet', bytes: 1_240_332 },
            { op: 'find', pattern: '*.parquet', matches: 3 },
          ],
        }),
        cell({
          title: 'Plot it',
          code: 'df.groupby("week").total.sum().plot()',
          durationMs: 812,
          images: [{ url: PLOT, mime: 'image/svg+xml' }],
          json: [{ weeks: 52, best: { week: 31, total: 18_240.5 }, stores: ['north', 'south', 'web'] }],
        }),
      ],
      { summary: '2 cells complete.' },
    ),
  });
  agents.put({
    ...where,
    state: 'failed',
    card: cells([
      cell({
        title: 'Train',
        code: 'for epoch in range(200):\n    print(f"epoch {epoch + 1}/200  loss {step():.4f}")',
        status: 'error',
        durationMs: 61_000,
        text: `${Array.from({ length: 60 }, (_, index) => `epoch ${index + 130}/200  loss ${(0.9 / (index + 1)).toFixed(4)}`).join('\n')}\nValueError: the sample needs at least two rows\n`,
        truncation: { totalLines: 12_410, totalBytes: 3_401_222, artifactUrl: 'artifact://agent-1/3' },
      }),
      cell({ title: 'Score', code: 'score(model)', status: 'pending', durationMs: null }),
    ]),
  });
  agents.put({
    ...where,
    tool: 'kernel',
    state: 'refused',
    needs: 'restart',
    card: plain('restart', 'A person refused: keep the variables.'),
  });
  agents.put({
    ...where,
    tool: 'variables',
    card: plain(
      'list',
      '12 variables, 3 data frames.',
      'df      DataFrame  50000 × 7\nsales   DataFrame  48211 × 8\nmodel   Model\nfloor   float      0.5\nweeks   list       52\nlabel   str        "sales"\nseed    int        7\nrun     function',
    ),
  });
  agents.put({
    ...where,
    tool: 'notebook_run',
    cellKeys: ['load', 'plot'],
    card: cells(
      [
        cell({
          title: 'Cell 2',
          text: `${Array.from({ length: 12 }, (_, index) => `row ${index + 988}  north  ${(index * 7.31).toFixed(2)}`).join('\n')}\n`,
          truncation: { totalLines: 1_000, totalBytes: 22_410, artifactUrl: null },
          executionCount: 5,
        }),
        cell({
          title: 'Cell 6',
          code: 'sales.plot(x="week", y="total")',
          executionCount: 6,
          images: [{ url: PLOT, mime: 'image/svg+xml' }],
        }),
      ],
      { path: NOTEBOOK },
    ),
  });
  agents.put({ ...where, state: 'cancelled', card: cells([cell({ title: 'Long search', status: 'error', text: 'KeyboardInterrupt\n' })]) });
}

/** What waits and what runs, at the end of a timeline. */
export function tellNow(agents: ScriptedAgents, agentId: string, docId: string | null): void {
  const where = { agentId, docId };
  agents.put({
    ...where,
    tool: 'notebook_run',
    state: 'running',
    startedAt: Date.now() - 7_000,
    cellKeys: ['fit', 'plot'],
    card: cells(
      [
        cell({
          title: '',
          code: 'for epoch in range(10):\n    loss = model.step(sales)',
          status: 'running',
          durationMs: null,
          text: 'epoch 1/10  loss 0.91\nepoch 2/10  loss 0.52\nepoch 3/10  loss 0.41\n',
        }),
        cell({ title: '', code: '%matplotlib inline\nsales.plot(x="week", y="total")', status: 'pending', durationMs: null }),
      ],
      { path: NOTEBOOK },
    ),
  });
  agents.put({
    ...where,
    state: 'approval',
    needs: 'delete',
    cellKeys: ['bad'],
    waitingFor: `${agentId} asks to delete cell 7 of analysis.ipynb.`,
    card: edit({
      action: 'delete',
      cellIndex: 7,
      summary: '',
      source: null,
      before: 'def fit(df):\n    raise ValueError("the sample needs at least two rows")',
    }),
  });
  agents.put({
    ...where,
    state: 'approval',
    cellKeys: ['clean'],
    waitingFor: `${agentId} asks to edit cell 3 of analysis.ipynb.`,
    card: edit({
      summary: '',
      before: CLEAN.join('\n'),
      source: CLEAN.join('\n')
        .replace('floor: float = 0.5', 'floor: float = 1.0')
        .replace('sales = clean(df)', 'sales = clean(df, floor=2)\nassert len(sales) > 0'),
    }),
  });
}

/** A long timeline: cards with code and output in turns of twelve. */
export function tellMany(agents: ScriptedAgents, agentId: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    if (index % 12 === 0) agents.change(agentId, { turn: index / 12 + 1 });
    const lines = Array.from({ length: (index * 7) % 40 }, (_, line) => `row ${line}  value ${(line * index) % 97}`).join('\n');
    agents.put({
      agentId,
      card:
        index % 3 === 0
          ? edit({
              cellIndex: index,
              source: CLEAN.slice(0, (index % 7) + 2).join('\n'),
              before: CLEAN.slice(1, (index % 5) + 3).join('\n'),
            })
          : cells([cell({ title: `Step ${index}`, code: CLEAN.slice(0, (index % 6) + 2).join('\n'), text: lines, executionCount: index })]),
    });
  }
}
