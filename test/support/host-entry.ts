/**
 * Bundles an entry of the kernel host, so that tests start it as the app does: one JavaScript file in a process of its own. The file's name
 * holds the hash of its content: tests that run side by side never load half of another's.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Below node_modules, so that the bundle finds `zeromq`, which is not bundled because of its native part. */
const FOLDER = path.join(ROOT, 'node_modules', '.cache', 'cellwright-test');

const built = new Map<string, Promise<string>>();

/** Path of the bundle of `source`, a file of the repository. Made once by each process. */
export function buildHostEntry(source = 'main/host.ts'): Promise<string> {
  const present = built.get(source) ?? bundle(source);
  built.set(source, present);
  return present;
}

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, source)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20.18',
    external: ['zeromq', 'electron'],
    loader: { '.py': 'text' },
    sourcemap: 'inline',
    logLevel: 'silent',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const file = path.join(FOLDER, `host-${hash}.cjs`);
  const temporary = `${file}.${process.pid}`;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(temporary, code);
  await rename(temporary, file);
  return file;
}
