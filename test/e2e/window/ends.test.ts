/**
 * How the app ends: a signal soon after its start, and SIGKILL while kernels idle, run and start. What it leaves behind is nothing that lives,
 * and files that its next start removes.
 */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cellKeys } from './edit-source.ts';
import { isRunning, kernelPids } from './processes.ts';
import {
  codeCell,
  endOf,
  makePlace,
  must,
  type RunningApp,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from './start-app.ts';

let place: TestPlace;
let app: RunningApp;

beforeEach(async () => {
  place = await makePlace();
});
afterEach(async () => {
  await stopApp(app);
  await removePlace(place);
});

async function temporaries(): Promise<string[]> {
  return (await readdir(place.profile)).filter((name) => name.endsWith('.tmp'));
}

describe('the profile', () => {
  it('has no temporary file after a signal, at once and later', async () => {
    for (const pause of [0, 400]) {
      app = await startApp(place);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      app.child.kill('SIGTERM');
      expect(await endOf(app.child)).toEqual({ code: 143, signal: null });
      expect(await temporaries()).toEqual([]);
      expect(await readdir(place.profile)).toContain('window.json');
    }
  });

  it('is freed from those of an app that was killed', async () => {
    const gone = 4_190_000;
    for (const name of ['window.json', 'settings.json', 'recent.json', 'notebooks.json']) {
      await writeFile(path.join(place.profile, `${name}.${gone}.tmp`), '{"half');
    }
    app = await startApp(place);
    await until(async () => (await temporaries()).length === 0);
  });
});

describe('an app that is killed', () => {
  const cells = [codeCell('import os; print(os.getpid())'), codeCell('print("on", flush=True)\nwhile True: pass')];

  it('leaves no kernel and no host, idle or busy, and the next start removes their files', async () => {
    app = await startApp(place);
    const snapshots = [];
    for (const name of ['idle', 'busy']) {
      const file = await writeNotebook(path.join(place.folder, `${name}.ipynb`), cells);
      snapshots.push(await must(app.page, 'doc.open', { path: file }));
    }
    const kernels = [];
    for (const snapshot of snapshots) {
      const { docId } = snapshot.document;
      const [key] = cellKeys(snapshot) as [string];
      await must(app.page, 'run.cells', { docId, keys: [key] });
      const [output] = (await must(app.page, 'doc.outputs', { docId, keys: [key] }))[key]!;
      kernels.push(Number(output?.type === 'stream' && output.text));
    }
    const { docId } = snapshots[1]!.document;
    const [, endless] = cellKeys(snapshots[1]!) as [string, string];
    await app.page.evaluate(([id, key]) => void window.cellwright.call('run.cells', { docId: id, keys: [key] }), [docId, endless] as const);
    await until(async () => (await must(app.page, 'doc.outputs', { docId, keys: [endless] }))[endless]?.length);
    expect(kernels.every(isRunning)).toBe(true);
    app.child.kill('SIGKILL');
    await until(async () => (await kernelPids([place.root])).length === 0);
    expect(kernels.some(isRunning)).toBe(false);
    // Nobody was there to remove them.
    const runtime = place.env.JUPYTER_RUNTIME_DIR!;
    expect((await readdir(runtime)).filter((name) => name.startsWith('kernel-'))).toHaveLength(2);
    app = await startApp(place);
    const again = await must(app.page, 'doc.open', { path: path.join(place.folder, 'idle.ipynb') });
    await must(app.page, 'run.cells', { docId: again.document.docId, keys: [cellKeys(again)[0]!] });
    await until(async () => (await readdir(runtime)).filter((name) => name.startsWith('kernel-')).length === 1);
    await stopApp(app);
    expect((await readdir(runtime)).filter((name) => /^(kernel|cellwright)-/.test(name))).toEqual([]);
  });

  it('leaves nothing of a kernel that was just starting', async () => {
    app = await startApp(place);
    const file = await writeNotebook(path.join(place.folder, 'starting.ipynb'), cells);
    const { document } = await must(app.page, 'doc.open', { path: file });
    const runtime = place.env.JUPYTER_RUNTIME_DIR!;
    await app.page.evaluate((docId) => void window.cellwright.call('kernel.start', { docId }), document.docId);
    await until(async () => (await readdir(runtime).catch(() => [])).some((name) => name.startsWith('kernel-')));
    app.child.kill('SIGKILL');
    await until(async () => (await kernelPids([place.root])).length === 0);
  });
});
