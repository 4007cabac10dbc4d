/**
 * The renderer's build: one page and its workers, fonts and styles under `dist/renderer`, which main serves under its own scheme.
 * Paths in it are relative, so that the page also works wherever the folder is put.
 */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    // The window, and the page that agents see outputs on.
    rolldownOptions: { input: ['renderer/index.html', 'renderer/output-view.html'] },
    // The oldest Chromium the window runs in: the development runtime's.
    target: 'chrome130',
    sourcemap: true,
    // The page's policy allows files of its own and no data: addresses, so nothing may be written into the style sheets.
    assetsInlineLimit: 0,
    // Monaco is one large chunk by nature and is loaded from disk.
    chunkSizeWarningLimit: 8_000,
  },
});
