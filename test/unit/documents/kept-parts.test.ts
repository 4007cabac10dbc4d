/** What a save of one edited cell must not do to the rest of a notebook: attachments, the end of the file. Real files. */
import { describe, expect, it } from 'vitest';
import { setSource } from '../../../preload/notebook-model.ts';
import { markdown, notebook, temporaryFolder, usual } from './temporary-folder.ts';

const folder = temporaryFolder();

const PNG = { 'plot.png': { 'image/png': 'iVBORw0KGgo=\n' } };

describe('attachments', () => {
  it('are written where they were, with their bytes, and nowhere else', async () => {
    const document = await folder.open(
      notebook([
        markdown(['plain']),
        markdown(['![p](attachment:plot.png)'], { attachments: PNG }),
        markdown(['empty'], { attachments: {} }),
      ]),
    );
    for (const key of document.keys()) setSource(document.ydoc, key, `${document.cell(key)!.source}!`);
    await document.save();
    expect(folder.json().cells.map((cell) => cell.attachments)).toEqual([undefined, PNG, {}]);
  });

  it.each([
    ['another name', '![p](attachment:other.png)'],
    ['no reference at all', 'text'],
  ])('stay when the text has %s', async (_what, source) => {
    const document = await folder.open(notebook([markdown(['![p](attachment:plot.png)'], { attachments: PNG })]));
    setSource(document.ydoc, document.keys()[0]!, source);
    await document.save();
    expect(folder.json().cells[0]!.attachments).toEqual(PNG);
  });

  it('that another program added or took away are taken in with its version', async () => {
    const document = await folder.open(notebook([markdown(['a']), markdown(['b'], { attachments: PNG })]));
    setSource(document.ydoc, document.keys()[0]!, 'a, mine');
    folder.write('a.ipynb', usual(notebook([markdown(['a'], { attachments: PNG }), markdown(['b'])])));
    await document.save();
    expect(folder.json().cells.map(({ source, attachments }) => [source, attachments])).toEqual([
      [['a, mine'], PNG],
      [['b'], undefined],
    ]);
  });
});

describe('the end of the file', () => {
  it.each([
    ['a line feed', '\n'],
    ['none', ''],
    ['several', '\n\n\n'],
    ['CRLF', '\r\n'],
  ])('%s: stays over several saves', async (_what, end) => {
    const text = `${JSON.stringify(notebook([markdown(['a'])]), null, 1)}${end}`;
    const document = await folder.open(text);
    for (const source of ['b', 'c', 'a']) {
      setSource(document.ydoc, document.keys()[0]!, source);
      await document.save();
      expect(folder.read('a.ipynb')).toBe(text.replace('"a"', `"${source}"`));
    }
  });
});
