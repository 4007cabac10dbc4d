/**
 * Puts the fake main behind the bridge and starts the real window on it. The query says what to show:
 * `?open=sales|long|none&theme=light|dark|high-contrast&cells=5000`.
 */
import type { Bridge, FileEntry, ThemeChoice } from '../../../preload/contract.ts';
import { attachKernel } from './fake-kernel.ts';
import { FakeMain } from './fake-main.ts';
import { longNotebook, SALES } from './sample-notebooks.ts';

const query = new URLSearchParams(location.search);
const main = new FakeMain();
attachKernel(main);
const long = longNotebook(Number(query.get('cells') ?? 5000));
main.notebooks.set(SALES.path ?? '', SALES);
main.notebooks.set(long.path ?? '', long);
const open = query.get('open') ?? 'sales';
main.start = {
  ...main.start,
  theme: (query.get('theme') ?? 'light') as ThemeChoice,
  open: open === 'none' ? [] : open === 'both' ? [SALES.path ?? '', long.path ?? ''] : [(open === 'long' ? long : SALES).path ?? ''],
  active: open === 'both' ? SALES.path : null,
  recent: [
    { path: '/home/ada/project/analysis.ipynb', title: 'analysis.ipynb', openedAt: Date.now() - 240_000 },
    { path: '/home/ada/project/long.ipynb', title: 'long.ipynb', openedAt: Date.now() - 7_200_000 },
    { path: '/home/ada/papers/2024/figures.ipynb', title: 'figures.ipynb', openedAt: Date.now() - 90_000_000 },
  ],
  examples: [
    { name: 'tour', title: 'A tour', description: 'Cells, outputs, interrupts and the keys in five minutes' },
    { name: 'plots', title: 'Plots and tables', description: 'Matplotlib, pandas, HTML and JSON output' },
  ],
};
const entry = (name: string, kind: FileEntry['kind'], folder = '/home/ada/project'): FileEntry => ({
  name,
  path: `${folder}/${name}`,
  kind,
});
main.handlers.set('files.list', ({ folder }: { folder: string }) =>
  folder === '/home/ada/project'
    ? [
        entry('log.ipynb', 'notebook'),
        entry('data', 'folder'),
        entry('analysis.ipynb', 'notebook'),
        entry('long.ipynb', 'notebook'),
        entry('README.md', 'file'),
        entry('models', 'folder'),
      ]
    : [entry('sales.parquet', 'file', folder), entry('old.ipynb', 'notebook', folder)],
);
Object.assign(window, { cellwright: main.bridge satisfies Bridge, fakeMain: main });
await import('../../../renderer/index.tsx');
