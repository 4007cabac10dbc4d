/**
 * The window's own page under `app://cellwright/`: which file an address means, of what type, and with which headers. Pure. The one thing
 * to get right is that no address leads out of the folder, however it is written.
 */
import path from 'node:path';
import { APP_ORIGIN } from './permissions.ts';

/** Strict but for inline styles, which Monaco's layout writes. Outputs and artifacts come from schemes of their own. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: output: artifact:",
  'media-src output: artifact:',
  "connect-src 'self' output: artifact:",
  'frame-src output:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/** Absolute path of the file that an address means, or null when it means none in `folder`. */
export function appFile(address: string, folder: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (`${url.protocol}//${url.host}` !== APP_ORIGIN) return null;
  let name: string;
  try {
    name = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  // A backslash is a separator on one system and part of a name on the others; a zero byte cuts names short in some libraries.
  if (/[\\\0]/.test(name)) return null;
  const file = path.resolve(folder, `.${name === '/' ? '/index.html' : name}`);
  return file.startsWith(path.resolve(folder) + path.sep) ? file : null;
}

/** Headers of the file's answer. Null for a type that the page does not consist of. */
export function appHeaders(file: string): Record<string, string> | null {
  const extension = path.extname(file).toLowerCase();
  const type = TYPES[extension];
  if (!type) return null;
  return {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    // Files beside the page carry a hash in their names and never change.
    'cache-control': extension === '.html' ? 'no-cache' : 'max-age=31536000, immutable',
    // On scripts too: a worker takes the policy of its own script's answer, and without one it would have the network.
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
  };
}
