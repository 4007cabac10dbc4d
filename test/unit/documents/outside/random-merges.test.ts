/** Random changes on both sides of one file, never of the same cell: each is in the result, nothing else changes, and undo takes theirs back. */
import { renameSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deleteCells, insertCells, setSource } from '../../../../preload/notebook-model.ts';
import { type CellJson, code, notebook, temporaryFolder, usual } from '../temporary-folder.ts';

const folder = temporaryFolder();

type Change = 'keep' | 'edit' | 'delete' | 'insert';

const change = fc.constantFrom<Change>('keep', 'keep', 'edit', 'delete', 'insert');
/** One change per cell, and whose it is. */
const changes = fc.array(fc.record({ change, mine: fc.boolean() }), { minLength: 1, maxLength: 8 });

/** Sources are long enough to tell a changed cell from another one where there are no ids. */
function sourceOf(place: number): string {
  return `value_${place} = compute(${place})\nprint(value_${place})\nshow_${place}()\nend_${place}()`;
}

function changed(source: string, who: string): string {
  return `${source}\n# ${who}`;
}

function newSource(place: number, who: string): string {
  return `brand_new("${who}", ${place})`;
}

/** What the file has after the changes of one side, or of both. */
function result(plan: readonly { change: Change; mine: boolean }[], sides: readonly boolean[]): string[] {
  return plan.flatMap(({ change: what, mine }, place) => {
    const who = mine ? 'mine' : 'theirs';
    const source = sourceOf(place);
    if (!sides.includes(mine) || what === 'keep') return [source];
    if (what === 'delete') return [];
    return what === 'edit' ? [changed(source, who)] : [source, newSource(place, who)];
  });
}

function cellsOf(sources: readonly string[], hasIds: boolean): CellJson[] {
  const id = (source: string): string => source.replace(/\n.*/s, '').replace(/\W+/g, '-').slice(0, 60);
  return sources.map((source) => code(source.split(/(?<=\n)/), hasIds ? { id: id(source) } : {}));
}

describe('changes of both sides', () => {
  it.each([
    ['with ids', true],
    ['without ids', false],
  ])('%s: all of them are in the file, and those of the other side can be taken back', async (_name, hasIds) => {
    const more = { nbformat_minor: hasIds ? 5 : 4 };
    await fc.assert(
      fc.asyncProperty(changes, async (plan) => {
        const base = result(plan, []);
        const document = await folder.open(notebook(cellsOf(base, hasIds), more));
        const keys = document.keys();
        plan.forEach(({ change: what, mine }, place) => {
          if (!mine) return;
          const key = keys[place]!;
          if (what === 'edit') setSource(document.ydoc, key, changed(sourceOf(place), 'mine'));
          if (what === 'delete') deleteCells(document.ydoc, [key]);
          if (what === 'insert') {
            const cell = { key: `new-${place}`, id: null, type: 'code' as const, source: newSource(place, 'mine'), metadata: {} };
            insertCells(document.ydoc, document.keys().indexOf(key) + 1, [cell]);
          }
        });
        folder.write('a.new', usual(notebook(cellsOf(result(plan, [false]), hasIds), more)));
        renameSync(folder.path('a.new'), folder.path('a.ipynb'));
        await document.checkDisk();
        expect(document.outside.conflicts()).toEqual([]);
        expect(document.keys().map((key) => document.cell(key)!.source)).toEqual(result(plan, [true, false]));
        const theirs = plan.some(({ change: what, mine }) => !mine && what !== 'keep');
        expect(document.outside.undo()).toBe(theirs);
        expect(document.keys().map((key) => document.cell(key)!.source)).toEqual(result(plan, [true]));
        await document.save();
        expect(folder.json().cells.map(({ source }) => [source].flat().join(''))).toEqual(result(plan, [true]));
        await document.close();
      }),
      { numRuns: 40 },
    );
  });
});
