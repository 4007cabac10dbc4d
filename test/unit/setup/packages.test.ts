/** When the packages count as installed: never by mistake, and not only when every other platform's are there as well. */
import { expect, it } from 'vitest';
import { isInstalled } from '../../../scripts/setup/packages.mjs';

const a = { version: '1.0.0', integrity: 'sha512-a' };
const root = { '': { version: '0.1.0' } };

it.each([
  ['everything is there', { ...root, a }, { a }, true],
  ['the app’s own entry is not looked for', { ...root }, {}, true],
  ['one is missing', { ...root, a, b: a }, { a }, false],
  ['one has another version', { ...root, a }, { a: { ...a, version: '1.0.1' } }, false],
  ['one has other contents', { ...root, a }, { a: { ...a, integrity: 'sha512-b' } }, false],
  ['an optional one is missing', { ...root, a, b: { ...a, optional: true } }, { a }, true],
  ['an optional one of development is missing', { ...root, b: { ...a, devOptional: true } }, {}, true],
  ['an optional one is there in another version', { b: { ...a, optional: true } }, { b: { ...a, version: '2.0.0' } }, false],
  ['more is there than asked for', { ...root, a }, { a, z: a }, true],
])('%s', (_case, wanted, present, expected) => {
  expect(isInstalled(wanted, present)).toBe(expected);
});
