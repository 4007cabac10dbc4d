/** Names in a style module are its own: a motion that only another module defines moves nothing, and nobody sees that it is missing. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const renderer = path.join(import.meta.dirname, '../../../renderer');
const modules = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.module.css'));

const names = (css: string, pattern: RegExp) => [...new Set([...css.matchAll(pattern)].map((match) => match[1]!))].sort();

it.each(modules)('%s defines the motions that it uses, and no others', (name) => {
  const css = readFileSync(path.join(renderer, name), 'utf8');
  const defined = names(css, /@keyframes ([\w-]+)/g);
  const used = names(css, /animation(?:-name)?:\s*([\w-]+)/g).filter((word) => word !== 'none');
  expect(used).toEqual(defined);
});
