import { describe, expect, it } from 'vitest';
import { sortDropped } from '../../../renderer/shell/file-drop.ts';

const file = (path: string) => ({ name: path.slice(path.lastIndexOf('/') + 1), path });

describe('dropped files', () => {
  it.each<[string, { name: string; path: string }[], string[], string | null]>([
    ['notebooks, in their order', [file('/d/b.ipynb'), file('/d/A.IPYNB')], ['/d/b.ipynb', '/d/A.IPYNB'], null],
    ['another file', [file('/d/a.csv')], [], 'a.csv is not opened: only notebook files (.ipynb) are.'],
    ['both', [file('/d/a.csv'), file('/d/a.ipynb')], ['/d/a.ipynb'], 'a.csv is not opened: only notebook files (.ipynb) are.'],
    ['several others', [file('/d/a.csv'), file('/d/b')], [], '2 of the files are not opened: only notebook files (.ipynb) are.'],
    ['what is not on the disk', [{ name: 'a.ipynb', path: '' }], [], 'a.ipynb is not opened: only notebook files (.ipynb) are.'],
    ['a path of Windows', [{ name: 'a.ipynb', path: 'C:\\d\\a.ipynb' }], ['C:\\d\\a.ipynb'], null],
    ['nothing', [], [], null],
  ])('%s', (_, files, notebooks, refusal) => {
    expect(sortDropped(files)).toEqual({ notebooks, refusal });
  });
});
