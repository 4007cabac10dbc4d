/**
 * The architecture and the few rules on source files, checked on every file of the app; and the checker checked on imports that are
 * known to be right or wrong, since a checker that finds nothing looks the same as code that is in order.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { brokenArrows, cyclesBetweenParts, type Import } from './arrows.ts';
import { factsOf } from './source-file.ts';

/** Beyond this a file has more than one subject. */
const MAX_LINES = 400;

const files = ['main', 'preload', 'renderer'].flatMap(sourceFiles);
const facts = new Map(files.map((file) => [file, factsOf(file, readFileSync(path.join(repository, file), 'utf8'))]));
const imports: Import[] = [...facts].flatMap(([from, { imports: targets }]) => targets.map((to) => ({ from, to })));

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mts|mjs|cjs|js)$/.test(entry.name))
    .map((entry) => path.relative(repository, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

function filesWhere(broken: (file: string) => string | undefined): string[] {
  return files.flatMap((file) => broken(file) ?? []);
}

describe('the app’s source', () => {
  it('is found', () => {
    expect(files).toContain('preload/contract.ts');
    expect(imports.length).toBeGreaterThan(files.length / 2);
  });

  it('keeps every import arrow', () => {
    expect(brokenArrows(imports)).toEqual([]);
  });

  it('has no circle between the parts of main', () => {
    expect(cyclesBetweenParts(imports)).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    expect(filesWhere((file) => ((facts.get(file)?.lines ?? 0) > MAX_LINES ? `${file}: ${facts.get(file)?.lines}` : undefined))).toEqual(
      [],
    );
  });

  it('opens every file with a comment on its subject', () => {
    expect(filesWhere((file) => (facts.get(file)?.hasHeader ? undefined : file))).toEqual([]);
  });

  it('never says any', () => {
    expect(filesWhere((file) => (facts.get(file)?.anyLines.length ? `${file}:${facts.get(file)?.anyLines.join(',')}` : undefined))).toEqual(
      [],
    );
  });
});

describe('the checker', () => {
  it.each([
    ['main/window/windows.ts', 'main/agents/server.ts'],
    ['main/window/windows.ts', 'electron'],
    ['main/main.ts', 'electron'],
    ['main/main.ts', 'main/window/windows.ts'],
    ['main/agents/python-tool.ts', 'main/execution/run.ts'],
    ['main/execution/run.ts', 'main/kernels/kernel.ts'],
    ['main/documents/document.ts', 'main/artifacts/store.ts'],
    ['main/documents/document.ts', 'preload/notebook-model.ts'],
    ['main/documents/document.ts', 'main/execution/run-protocol.ts'],
    ['main/kernels/direct/launch.ts', 'main/kernels/kernel.ts'],
    ['main/host.ts', 'main/execution/run.ts'],
    ['main/host.ts', 'main/widgets/comm-service.ts'],
    ['main/widgets/widget-session.ts', 'main/execution/run-protocol.ts'],
    ['main/window/open-notebook.ts', 'main/widgets/widget-session.ts'],
    ['main/cli/run.ts', 'main/documents/document.ts'],
    ['main/cli/doctor.ts', 'scripts/electron-path.mjs'],
    ['renderer/cells/cell.tsx', 'preload/contract.ts'],
    ['preload/preload.ts', 'electron'],
    ['preload/preload.ts', 'preload/contract.ts'],
    ['main/kernels/direct/launch.ts', 'node:net'],
  ])('allows %s → %s', (from, to) => {
    expect(brokenArrows([{ from, to }])).toEqual([]);
  });

  it.each([
    ['main/agents/server.ts', 'main/window/windows.ts', 'may not know main/window'],
    ['main/execution/run.ts', 'main/agents/server.ts', 'may not know main/agents'],
    ['main/documents/document.ts', 'main/execution/run.ts', 'may not know main/execution'],
    ['main/execution/run.ts', 'main/widgets/comm-service.ts', 'may not know main/widgets'],
    ['main/widgets/widget-session.ts', 'main/window/windows.ts', 'may not know main/window'],
    ['main/execution/run.ts', 'main/documents/document.ts', 'may not know main/documents'],
    ['main/kernels/kernel.ts', 'main/execution/run.ts', 'may not know main/execution'],
    ['main/kernels/kernel.ts', 'main/artifacts/store.ts', 'may not know main/artifacts'],
    ['main/artifacts/store.ts', 'main/kernels/kernel.ts', 'may not know main/kernels'],
    ['main/cli/run.ts', 'main/window/windows.ts', 'may not know main/window'],
    ['main/host.ts', 'main/window/windows.ts', 'may not know main/window'],
    ['main/kernels/kernel.ts', 'electron', 'Electron'],
    ['main/host.ts', 'electron', 'Electron'],
    ['preload/contract.ts', 'electron', 'Electron'],
    ['renderer/cells/cell.tsx', 'electron', 'Electron'],
    ['renderer/cells/cell.tsx', 'main/documents/document.ts', 'meet only in preload'],
    ['renderer/cells/cell.tsx', 'node:fs', 'no Node'],
    ['main/documents/document.ts', 'renderer/cells/cell.tsx', 'meet only in preload'],
    ['preload/contract.ts', 'main/documents/document.ts', 'stands alone'],
    ['main/window/windows.ts', 'preload/preload.ts', 'never imported'],
    ['main/kernels/kernel.ts', 'scripts/electron-path.mjs', 'set-up'],
    ['main/extras/thing.ts', 'node:fs', 'no place'],
  ])('refuses %s → %s', (from, to, reason) => {
    expect(brokenArrows([{ from, to }])).toEqual([expect.stringContaining(reason)]);
  });

  it('finds circles between parts, each once', () => {
    const circle = [
      { from: 'main/documents/a.ts', to: 'main/execution/b.ts' },
      { from: 'main/execution/c.ts', to: 'main/kernels/d.ts' },
      { from: 'main/kernels/e.ts', to: 'main/documents/f.ts' },
      { from: 'main/kernels/e.ts', to: 'main/kernels/g.ts' },
    ];
    expect(cyclesBetweenParts(circle)).toEqual(['documents → execution → kernels → documents']);
    expect(cyclesBetweenParts(circle.slice(1))).toEqual([]);
  });

  it('sees every way to write an import, types included', () => {
    const text = [
      "import type { A } from './a.ts';",
      "import { b } from '../documents/b.ts';",
      "export { c } from './c.ts';",
      "export * from './d.ts';",
      "const e = await import('./e.ts');",
      "type F = import('./f.ts').F;",
      "const g = require('./g.cjs');",
      "import 'electron';",
      "const text = \"import './not-this.ts'\"; // import './nor-this.ts'",
    ].join('\n');
    expect([...factsOf('main/kernels/x.ts', text).imports].sort()).toEqual(
      [
        'electron',
        'main/documents/b.ts',
        ...['a.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.cjs'].map((name) => `main/kernels/${name}`),
      ].sort(),
    );
  });

  it('tells a header, a length and an any', () => {
    const good = factsOf('main/x.ts', '/**\n * Subject.\n */\nexport const anything = "any";\n');
    expect(good).toMatchObject({ hasHeader: true, lines: 4, anyLines: [] });
    const bad = factsOf('main/x.tsx', 'export const a = <b />;\nexport let c: Array<any>;\n');
    expect(bad).toMatchObject({ hasHeader: false, lines: 2, anyLines: [2] });
  });
});
