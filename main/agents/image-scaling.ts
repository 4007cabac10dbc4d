/**
 * Images in a size that a model reads: longer sides are scaled down by the mean of the covered pixels, and what is still too many bytes becomes a
 * JPEG. Pure, and slow for large ones: it runs in a worker. The hard part is memory: an image's header is read before its pixels, and one that
 * would take too much is left alone.
 */
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';

/** Pixels of the longer side; models scale down what is larger. */
export const MAX_SIDE = 1_568;
/** Bytes of the file; base64 makes a third more of them. */
export const MAX_BYTES = 700_000;
/** Pixels of an image that is decoded: four bytes each. */
const MAX_PIXELS = 40_000_000;
const JPEG_QUALITY = 82;

export interface ModelImage {
  mime: string;
  bytes: Uint8Array;
  /** False when the bytes are those that were given. */
  scaled: boolean;
}

export interface Pixels {
  width: number;
  height: number;
  /** RGBA. */
  data: Uint8Array;
}

/**
 * Null when the image can't be shown to a model: unknown type, damaged, or too large to be decoded. `scaling`: it has to be scaled first. Only its
 * header is read.
 */
export function asItIs(mime: string, bytes: Uint8Array): ModelImage | 'scaling' | null {
  if (mime === 'image/gif' || mime === 'image/webp') return bytes.length <= MAX_BYTES ? { mime, bytes, scaled: false } : null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = mime === 'image/png' ? pngSize(buffer) : mime === 'image/jpeg' ? jpegSize(buffer) : null;
  if (!size || size.width * size.height > MAX_PIXELS || size.width * size.height === 0) return null;
  if (Math.max(size.width, size.height) <= MAX_SIDE && bytes.length <= MAX_BYTES) return { mime, bytes, scaled: false };
  return 'scaling';
}

/** For what `asItIs` calls `scaling`. Null when it is damaged. */
export function scaledImage(mime: string, bytes: Uint8Array): ModelImage | null {
  const pixels = decoded(mime, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return pixels && encoded(pixels);
}

/** A picture of the screen, whose pixels come as blue, green, red and opacity. */
export function screenImage({ width, height, data }: Pixels): ModelImage {
  const rgba = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    rgba[at] = data[at + 2]!;
    rgba[at + 1] = data[at + 1]!;
    rgba[at + 2] = data[at]!;
    rgba[at + 3] = data[at + 3]!;
  }
  return encoded({ width, height, data: rgba });
}

function decoded(mime: string, buffer: Buffer): Pixels | null {
  try {
    if (mime === 'image/png') return PNG.sync.read(buffer);
    return jpeg.decode(buffer, { useTArray: true, formatAsRGBA: true, maxMemoryUsageInMB: 512 });
  } catch {
    return null;
  }
}

function encoded(pixels: Pixels): ModelImage {
  for (let side = MAX_SIDE; ; side = Math.floor(side / 2)) {
    const fitted = scaledTo(pixels, side);
    const png = PNG.sync.write(Object.assign(new PNG({ width: fitted.width, height: fitted.height }), { data: Buffer.from(fitted.data) }));
    if (png.length <= MAX_BYTES) return { mime: 'image/png', bytes: png, scaled: true };
    const { data } = jpeg.encode({ ...onWhite(fitted), data: Buffer.from(onWhite(fitted).data) }, JPEG_QUALITY);
    if (data.length <= MAX_BYTES || side < 64) return { mime: 'image/jpeg', bytes: data, scaled: true };
  }
}

/** Scaled down until the longer side is at most `side`. */
export function scaledTo(pixels: Pixels, side: number): Pixels {
  const factor = Math.max(pixels.width, pixels.height) / side;
  if (factor <= 1) return pixels;
  const width = Math.max(1, Math.round(pixels.width / factor));
  const height = Math.max(1, Math.round(pixels.height / factor));
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * pixels.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * pixels.height) / height));
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor((x * pixels.width) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * pixels.width) / width));
      meanInto(data, (y * width + x) * 4, pixels, { left, right, top, bottom });
    }
  }
  return { width, height, data };
}

/** Colours count by their opacity, or invisible pixels would darken the edges. */
function meanInto(
  target: Uint8Array,
  at: number,
  { data, width }: Pixels,
  { left, right, top, bottom }: { left: number; right: number; top: number; bottom: number },
): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y += 1) {
    for (let from = (y * width + left) * 4, end = (y * width + right) * 4; from < end; from += 4) {
      const opacity = data[from + 3]!;
      red += data[from]! * opacity;
      green += data[from + 1]! * opacity;
      blue += data[from + 2]! * opacity;
      alpha += opacity;
    }
  }
  const weight = alpha || 1;
  target[at] = red / weight;
  target[at + 1] = green / weight;
  target[at + 2] = blue / weight;
  target[at + 3] = alpha / ((right - left) * (bottom - top));
}

/** JPEG has no opacity. */
function onWhite({ width, height, data }: Pixels): Pixels {
  const opaque = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3]! / 255;
    for (let channel = 0; channel < 3; channel += 1) opaque[at + channel] = data[at + channel]! * opacity + 255 * (1 - opacity);
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}

/** PNG specification, 11.2.1: the header chunk comes first. */
function pngSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** ITU T.81, B.2.2: the frame header has the size; the segments before it say how long they are. */
function jpegSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
