/**
 * Serves the outputs' test page: the renderer's own sources, and under `/served/` what main serves in the app. Pages for the sandboxed
 * frame come from main's own builder, only with this server's origin in the place of the window's.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import type { Connect, Plugin } from 'vite';
import { defineConfig } from 'vite';
import { byteRange } from '../../../main/window/byte-range.ts';
import { framePage } from '../../../main/window/frame-page.ts';
import { APP_ORIGIN } from '../../../main/window/permissions.ts';
import { artifacts, framed } from './served.ts';

const folder = import.meta.dirname;
const repository = path.resolve(folder, '../../..');

const serveOutputs: Connect.NextHandleFunction = (request, response, next) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, area, name = ''] = url.pathname.split('/');
  const origin = `http://${request.headers.host}`;
  if (area === 'frame') {
    const { html, headers } = framePage({
      ...framed(name),
      trusted: url.searchParams.has('trusted'),
      dark: url.searchParams.get('theme') === 'dark',
      nonce: randomBytes(16).toString('base64url'),
    });
    for (const [header, value] of Object.entries(headers)) response.setHeader(header, value.replaceAll(APP_ORIGIN, origin));
    response.end(html.replaceAll(APP_ORIGIN, origin));
  } else if (area === 'sample') {
    const type = name.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
    response.setHeader('content-type', type);
    response.end(readFileSync(path.join(folder, 'fixtures', path.basename(name))));
  } else if (area === 'artifact') {
    const data = artifacts(name);
    const range = byteRange(request.headers.range ?? null, data.length);
    if (typeof range === 'string') {
      response.statusCode = range === 'whole' ? 200 : 416;
      response.end(range === 'whole' ? data : undefined);
      return;
    }
    response.statusCode = 206;
    response.setHeader('content-range', `bytes ${range.start}-${range.end}/${data.length}`);
    response.end(data.subarray(range.start, range.end + 1));
  } else next();
};

const served: Plugin = {
  name: 'served-outputs',
  configureServer(server) {
    server.middlewares.use(serveOutputs);
  },
  configurePreviewServer(server) {
    server.middlewares.use(serveOutputs);
  },
};

export default defineConfig({
  root: folder,
  plugins: [react(), served],
  cacheDir: path.join(repository, 'node_modules/.vite/outputs-harness'),
  server: { fs: { allow: [repository] }, watch: null, hmr: false },
  optimizeDeps: {
    include: [
      'react',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'lucide-react',
      'radix-ui',
      'dompurify',
      'markdown-it',
      'katex',
      '@tanstack/react-virtual',
    ],
  },
  build: { target: 'chrome130', chunkSizeWarningLimit: 8_000 },
  logLevel: 'warn',
});
