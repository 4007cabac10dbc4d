/** Keys that come before the editor: what is text, what stays a key, and where each of them goes. */
import { expect, it } from 'vitest';
import { EarlyKeys, type Press, textOf } from '../../../renderer/notebook/early-keys.ts';

function press(key: string, held = ''): Press {
  const has = (name: string) => held.split('+').includes(name);
  return {
    key,
    ctrlKey: has('Ctrl'),
    altKey: has('Alt'),
    shiftKey: has('Shift'),
    metaKey: has('Meta'),
    getModifierState: (name) => has(name),
  };
}

it.each([
  ['a', '', 'a'],
  ['A', 'Shift', 'A'],
  ['😀', '', '😀'],
  [' ', '', ' '],
  ['Enter', '', '\n'],
  ['Enter', 'Shift', null],
  ['Enter', 'Ctrl', null],
  ['Backspace', '', null],
  ['ArrowLeft', '', null],
  ['s', 'Ctrl', null],
  ['s', 'Meta', null],
  ['f', 'Alt', null],
  ['@', 'Ctrl+Alt+AltGraph', '@'],
])('%s with “%s” gives %j', (key, held, text) => expect(textOf(press(key, held), false)).toBe(text));

it('Alt makes characters on a Mac', () => expect(textOf(press('ø', 'Alt'), true)).toBe('ø'));

/** An editor that an Escape leads out of. */
function editor() {
  const seen: string[] = [];
  let focus = true;
  return {
    seen,
    hasFocus: () => focus,
    type: (text: string) => void seen.push(`text ${text}`),
    press: ({ key }: Press) => {
      seen.push(`key ${key}`);
      if (key === 'Escape') focus = false;
    },
  };
}

it('are replayed once, in their order, and as keys after one that leads out of the editor', () => {
  const keys = new EarlyKeys<Press>();
  for (const key of ['x', 'Backspace', 'y', 'Escape', 'b']) expect(keys.keep(press(key))).toBe(true);
  const typing = editor();
  keys.replay(typing, false);
  keys.replay(typing, false);
  expect(typing.seen).toEqual(['text x', 'key Backspace', 'text y', 'key Escape', 'key b']);
});

it('are kept again while they are replayed, for the editor that comes next', () => {
  const keys = new EarlyKeys<Press>();
  for (const key of ['Escape', 'Enter', 'b']) keys.keep(press(key));
  const typing = editor();
  keys.replay({ ...typing, press: (each) => (each.key === 'Escape' ? typing.press(each) : keys.keep(each)) }, false);
  const next = editor();
  keys.replay(next, false);
  expect([typing.seen, next.seen]).toEqual([['key Escape'], ['text \n', 'text b']]);
});

it('a second Escape gives up, and nothing of it is typed later', () => {
  const keys = new EarlyKeys<Press>();
  expect([press('x'), press('Escape'), press('Escape')].map((each) => keys.keep(each))).toEqual([true, true, false]);
  const typing = editor();
  keys.replay(typing, false);
  expect(typing.seen).toEqual([]);
});
