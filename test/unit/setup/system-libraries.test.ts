/** Which libraries are missing, read from what the loader says. */
import { expect, it } from 'vitest';
import { missingSystemParts, parseMissing } from '../../../scripts/setup/system-libraries.mjs';

it('reads what ldd could not find, each once', () => {
  const text = [
    '\tlinux-vdso.so.1 (0x00007ffd3b7f2000)',
    '\tlibffmpeg.so => /opt/electron/libffmpeg.so (0x00007f1c)',
    '\tlibgtk-3.so.0 => not found',
    '\tlibnss3.so => not found',
    '\tlibgtk-3.so.0 => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f1c)',
  ].join('\n');
  expect(parseMissing(text)).toEqual(['libgtk-3.so.0', 'libnss3.so']);
  expect(parseMissing('\tnot a dynamic executable')).toEqual([]);
});

it('finds nothing missing for the Node that runs', async () => {
  expect(await missingSystemParts(process.execPath, { needsXvfb: false })).toEqual([]);
});
