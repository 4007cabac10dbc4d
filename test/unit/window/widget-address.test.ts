/** Addresses of widgets' pages: what is made is read again, and nothing else is one. */
import { expect, it } from 'vitest';
import { readWidgetAddress, widgetAddress } from '../../../preload/widget-address.ts';

it.each(['m1', 'a/b', '../../x', 'ä %2F?#', '"><script>'])('comes back with its model: %s', (modelId) => {
  expect(readWidgetAddress(widgetAddress('doc-1', modelId))).toEqual({ docId: 'doc-1', modelId });
});

it.each([
  'output://doc/widget/',
  'output://doc/widget/a/b',
  'output://doc/other/a',
  'https://doc/widget/a',
  'output:///widget/a',
  'output://doc/widget/%',
  'x',
])('is not %s', (address) => expect(readWidgetAddress(address)).toBeNull());
