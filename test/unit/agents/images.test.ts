/** Images for models: what stays as it is, what is scaled, and the worker that does it, with its death in the middle. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asItIs, MAX_BYTES, MAX_SIDE, scaledImage, scaledTo, screenImage } from '../../../main/agents/image-scaling.ts';
import { ImageWork } from '../../../main/agents/image-work.ts';
import { silentLog } from '../../../main/log/log.ts';
import { nodeBundleOptions } from '../../../scripts/build.mjs';
import { repository } from '../../../scripts/setup/paths.mjs';

function png(width: number, height: number, value: (at: number) => number): Buffer {
  const image = new PNG({ width, height });
  for (let at = 0; at < image.data.length; at += 1) image.data[at] = at % 4 === 3 ? 255 : value(at);
  return PNG.sync.write(image);
}

const wide = png(3_200, 100, (at) => at % 7);

describe('the size that a model reads', () => {
  test('small ones stay as they are, byte for byte', () => {
    const bytes = png(20, 10, () => 5);
    expect(asItIs('image/png', bytes)).toMatchObject({ mime: 'image/png', scaled: false, bytes });
    expect(asItIs('image/png', wide)).toBe('scaling');
  });

  test('long sides are scaled down, and nothing is over the cap', () => {
    const fitted = scaledImage('image/png', wide)!;
    expect(fitted.scaled).toBe(true);
    expect(Buffer.from(fitted.bytes).readUInt32BE(16)).toBe(MAX_SIDE);
    let seed = 1;
    const random = (): number => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed;
    };
    const noise = scaledImage(
      'image/png',
      png(1_500, 900, () => random() & 255),
    )!;
    expect(noise.bytes.length).toBeLessThanOrEqual(MAX_BYTES);
    expect(noise.mime).toBe('image/jpeg');
  });

  test('damaged and unknown ones are none', () => {
    expect(asItIs('image/png', Buffer.from('no image'))).toBeNull();
    expect(asItIs('image/svg+xml', Buffer.from('<svg/>'))).toBeNull();
    expect(scaledImage('image/png', wide.subarray(0, 200))).toBeNull();
    const huge = png(8, 8, () => 0);
    huge.writeUInt32BE(100_000, 16);
    huge.writeUInt32BE(100_000, 20);
    expect(asItIs('image/png', huge)).toBeNull();
  });

  test('a mean counts colours by their opacity', () => {
    const { data } = scaledTo({ width: 2, height: 1, data: Uint8Array.from([200, 100, 50, 255, 0, 0, 0, 0]) }, 1);
    expect([...data]).toEqual([200, 100, 50, 127]);
  });

  test('a picture of the screen has its colours in the right order', () => {
    const { mime, bytes } = screenImage({ width: 1, height: 1, data: Uint8Array.from([1, 2, 3, 255]) });
    expect(mime).toBe('image/png');
    expect([...PNG.sync.read(Buffer.from(bytes)).data]).toEqual([3, 2, 1, 255]);
  });
});

describe('the worker', () => {
  let folder: string;
  let work: ImageWork;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-images-'));
    const outfile = path.join(folder, 'image-worker.cjs');
    await build({ ...nodeBundleOptions(), entryPoints: [path.join(repository, 'main/agents/image-worker.ts')], outfile });
    work = new ImageWork(outfile, silentLog);
  });
  afterAll(async () => {
    await work?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('scales several at once, and what is damaged takes no other with it', async () => {
    const all = [wide, wide.subarray(0, 200), wide, png(20, 10, () => 5)];
    const images = await Promise.all(all.map((bytes) => work.fitted('image/png', bytes)));
    expect(images.map((image) => image?.scaled ?? null)).toEqual([true, null, true, false]);
    expect(Buffer.from(images[0]!.bytes).equals(Buffer.from(images[2]!.bytes))).toBe(true);
    expect((await work.ofScreen({ width: 1, height: 1, data: new Uint8Array(4) }))?.mime).toBe('image/png');
  });

  test('works again after it was ended, also in the middle', async () => {
    const cut = work.fitted('image/png', wide);
    await work.close();
    expect(await cut).toBeNull();
    expect(await work.fitted('image/png', wide)).toMatchObject({ scaled: true });
  });

  test('one that can’t be started or dies gives no image, and does not hang', async () => {
    expect(await new ImageWork(path.join(folder, 'nowhere.cjs'), silentLog).fitted('image/png', wide)).toBeNull();
    const deadly = path.join(folder, 'deadly.cjs');
    await writeFile(deadly, "require('node:worker_threads').parentPort.on('message', () => process.exit(3));");
    const dying = new ImageWork(deadly, silentLog);
    expect(await dying.fitted('image/png', wide)).toBeNull();
    expect(await dying.fitted('image/png', wide)).toBeNull();
  });
});
