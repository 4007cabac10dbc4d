/**
 * Builds the app into dist/: main, kernel host, command line and preload as CommonJS bundles, the renderer as a page.
 * Electron and zeromq stay outside the bundles: one is given by the runtime, the other is a native module that loads from its package.
 */
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from './setup/paths.mjs';

/** Source and result, relative to the repository. */
export const BUNDLES = Object.freeze([
  { entry: 'main/main.ts', outfile: 'dist/main/main.cjs' },
  { entry: 'main/host.ts', outfile: 'dist/main/host.cjs' },
  { entry: 'main/agents/image-worker.ts', outfile: 'dist/main/image-worker.cjs' },
  { entry: 'main/documents/validation-worker.ts', outfile: 'dist/main/validation-worker.cjs' },
  { entry: 'main/cli/cli.ts', outfile: 'dist/main/cli.cjs' },
  { entry: 'preload/preload.ts', outfile: 'dist/preload/preload.cjs' },
]);

/** Scripts inside output frames, each loaded by the frames that need it and never by the window's page. */
const FRAME_SCRIPTS = Object.freeze([
  { entry: 'renderer/frames/plotly-frame.ts', outfile: 'dist/frames/plotly.js' },
  { entry: 'renderer/frames/vega-frame.ts', outfile: 'dist/frames/vega.js' },
  // Beside it lie its styles, widgets.css.
  { entry: 'renderer/frames/widgets/widget-frame.ts', outfile: 'dist/frames/widgets.js' },
]);

/** Files that the app reads as they are. */
const INTER = 'inter-latin-wght-normal.woff2';
const JETBRAINS_MONO = 'jetbrains-mono-latin-wght-normal.woff2';
const COPIES = Object.freeze([
  { from: 'main/window/examples', to: 'dist/examples' },
  { from: 'main/window/icon/icon.png', to: 'dist/icon.png' },
  // For output frames, which reach nothing of the page's.
  { from: `node_modules/@fontsource-variable/inter/files/${INTER}`, to: `dist/fonts/${INTER}` },
  { from: `node_modules/@fontsource-variable/jetbrains-mono/files/${JETBRAINS_MONO}`, to: `dist/fonts/${JETBRAINS_MONO}` },
  { from: 'node_modules/@fortawesome/fontawesome-free/webfonts/fa-solid-900.woff2', to: 'dist/fonts/fa-solid-900.woff2' },
  // As small as it gets already, and large enough to make a build slow.
  { from: 'node_modules/plotly.js-strict-dist-min/plotly-strict.min.js', to: 'dist/frames/plotly-library.js' },
]);

/** The Node inside the oldest Electron the app runs in, the development runtime; newer syntax would not parse there. */
const NODE_TARGET = 'node20.18';

/** The oldest Chromium the window runs in: the development runtime's. */
const PAGE_TARGET = 'chrome130';

/** Given by the runtime, or native. */
const EXTERNAL = ['electron', 'zeromq'];

/**
 * The options of every bundle that runs in Node, for the build and for scripts that run single TypeScript files.
 * @returns {import('esbuild').BuildOptions}
 */
export function nodeBundleOptions() {
  return {
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: NODE_TARGET,
    external: EXTERNAL,
    // The helpers' sources are sent to kernels as text.
    loader: { '.py': 'text' },
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    absWorkingDir: repository,
  };
}

/**
 * The options of a script that runs inside an output's frame.
 * @returns {import('esbuild').BuildOptions}
 */
export function frameScriptOptions() {
  return {
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: PAGE_TARGET,
    minify: true,
    // Fonts of the program, by the addresses they are served under.
    external: ['output://*'],
    // Each file is given away with the libraries in it, and so with their notices.
    legalComments: 'eof',
    logLevel: 'warning',
    absWorkingDir: repository,
  };
}

/** Builds everything. Throws when an entry is missing or a source has an error; esbuild and Vite have said which by then. */
export async function build() {
  const missing = [
    ...[...BUNDLES, ...FRAME_SCRIPTS].map(({ entry }) => entry),
    ...COPIES.map(({ from }) => from),
    'renderer/index.html',
  ].filter((file) => !existsSync(path.join(repository, file)));
  if (missing.length > 0) throw new Error(`These entry files are missing, so there is nothing to build: ${missing.join(', ')}`);
  await rm(path.join(repository, 'dist'), { recursive: true, force: true });
  const { build: bundle } = await import('esbuild');
  const { build: buildPage } = await import('vite');
  await Promise.all([
    ...BUNDLES.map(({ entry, outfile }) => bundle({ ...nodeBundleOptions(), entryPoints: [entry], outfile })),
    ...FRAME_SCRIPTS.map(({ entry, outfile }) => bundle({ ...frameScriptOptions(), entryPoints: [entry], outfile })),
    ...COPIES.map(({ from, to }) => cp(path.join(repository, from), path.join(repository, to), { recursive: true })),
    buildPage({ configFile: path.join(repository, 'vite.config.ts'), logLevel: 'warn' }),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
