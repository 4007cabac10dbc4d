/** A notebook file as text with known places: what is read comes back byte for byte, and what is no notebook is told apart. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotebookOpenError } from '../../../main/documents/errors.ts';
import { fileBytes } from '../../../main/documents/notebook-file.ts';
import { parse } from './edited-notebook.ts';
import { notebook, spell, spelling } from './random-notebooks.ts';

it('random notebooks in random spellings come back byte for byte', () => {
  fc.assert(
    fc.property(notebook, spelling, (nb, style) => {
      const bytes = spell(nb, style);
      expect(fileBytes(parse(bytes)).equals(bytes)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe('JSON that is no notebook', () => {
  it.each([
    ['[]', 'Its top level is an array, not an object.'],
    ['"text"', 'Its top level is a string, not an object.'],
    ['null', 'Its top level is a plain value, not an object.'],
    ['{}', 'It has no "cells".'],
    ['{"cells": {}}', 'Its "cells" is an object, not an array.'],
    ['{"cells": [{}, 3]}', 'Its cells[1] is a number, not an object.'],
  ])('%s', (text, detail) => {
    expect(() => parse(Buffer.from(text))).toThrow(NotebookOpenError);
    expect(() => parse(Buffer.from(text))).toThrow(detail);
  });
});
