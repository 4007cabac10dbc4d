/** Serves the harness page: the real renderer over a bridge in memory. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  server: { port: 5199, strictPort: true, hmr: false, watch: null, fs: { allow: ['../../..'] } },
  cacheDir: '../../../node_modules/.vite-harness',
  build: {
    outDir: '../../../test-results/renderer-harness',
    emptyOutDir: true,
    target: 'chrome130',
    minify: process.env.HARNESS_PLAIN ? false : 'oxc',
  },
  preview: { port: 5199, strictPort: true },
});
