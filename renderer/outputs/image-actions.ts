/** Copying and saving an image output. The bytes come from its address once more: what is on screen may be scaled. */

/** Of an SVG without a size of its own, in pixels; the size that browsers give to such an image is smaller than anybody wants. */
const DEFAULT_SIZE = { width: 1200, height: 900 };

/** Puts the image on the clipboard as PNG, the one image type that clipboards take. */
export async function copyImage(url: string, mime: string): Promise<void> {
  const png = mime === 'image/png' ? fetchBlob(url) : toPng(url);
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
}

/** Hands the bytes to the browser's own download, where main asks for the place. */
export async function saveImage(url: string, mime: string, name: string): Promise<void> {
  const objectUrl = URL.createObjectURL(await fetchBlob(url));
  const link = document.createElement('a');
  link.href = objectUrl;
  link.download = `${name}.${extensionOf(mime)}`;
  link.click();
  // The download has its own hold on the blob once it started, which is after this task.
  setTimeout(() => URL.revokeObjectURL(objectUrl), 60_000);
}

function extensionOf(mime: string): string {
  const subtype = mime.split('/')[1]?.split(/[;+]/)[0] ?? 'bin';
  return subtype === 'jpeg' ? 'jpg' : subtype;
}

async function fetchBlob(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The image could not be read (${response.status}).`);
  return await response.blob();
}

/** Other types are drawn once: SVG can't be decoded from a blob, and the page may not show blobs, so it is the address that is drawn. */
async function toPng(url: string): Promise<Blob> {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth || DEFAULT_SIZE.width;
  canvas.height = image.naturalHeight || DEFAULT_SIZE.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((result) => (result ? resolve(result) : reject(new Error('The image could not be converted to PNG.'))), 'image/png');
  });
}
