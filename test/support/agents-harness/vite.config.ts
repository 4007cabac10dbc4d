/** Serves the page of the agents' tests: the real renderer over a bridge in memory. */
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  cacheDir: path.resolve(import.meta.dirname, '../../../node_modules/.vite/agents-harness'),
  build: { target: 'chrome130', chunkSizeWarningLimit: 8_000 },
  logLevel: 'warn',
});
