/**
 * How the app ends: a signal soon after its start, and SIGKILL while kernels idle, run and start. What it leaves behind is nothing that lives,
 * and files that its next start removes.
 */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPEN_FOLDER } from '../../../main/documents/outside/open-elsewhere.ts';
import { appInPlace } from './app-in-place.ts';
import { cellKeys } from './edit-source.ts';
import { isRunning, kernelPids } from './processes.ts';
import { codeCell, endOf, must, until, writeNotebook } from './start-app.ts';

const run = appInPlace('test');

async function temporaries(): Promise<string[]> {
  return (await readdir(run.place.profile)).filter((name) => name.endsWith('.tmp'));
}

describe('the profile', () => {
  it('has no temporary file after a signal, at once and later', async () => {
    for (const pause of [0, 400]) {
      await run.start();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      run.app.child.kill('SIGTERM');
      expect(await endOf(run.app.child)).toEqual({ code: 143, signal: null });
      expect(await temporaries()).toEqual([]);
      expect(await readdir(run.place.profile)).toContain('window.json');
    }
  });

  it('is freed from those of an app that was killed', async () => {
    const gone = 4_190_000;
    for (const name of ['window.json', 'settings.json', 'recent.json', 'notebooks.json']) {
      await writeFile(path.join(run.place.profile, `${name}.${gone}.tmp`), '{"half');
    }
    await run.start();
    await until(async () => (await temporaries()).length === 0);
  });
});

describe('an app that is killed', () => {
  const cells = [codeCell('import os; print(os.getpid())'), codeCell('print("on", flush=True)\nwhile True: pass')];

  it('leaves no kernel and no host, idle or busy, and the next start removes their files', async () => {
    await run.start();
    const snapshots = [];
    for (const name of ['idle', 'busy']) {
      const file = await writeNotebook(path.join(run.place.folder, `${name}.ipynb`), cells);
      snapshots.push(await must(run.app.page, 'doc.open', { path: file }));
    }
    const kernels: number[] = [];
    for (const snapshot of snapshots) {
      const { docId } = snapshot.document;
      const [key] = cellKeys(snapshot) as [string];
      await must(run.app.page, 'run.cells', { docId, keys: [key] });
      const [output] = (await must(run.app.page, 'doc.outputs', { docId, keys: [key] }))[key]!;
      kernels.push(Number(output?.type === 'stream' && output.text));
    }
    const { docId } = snapshots[1]!.document;
    const [, endless] = cellKeys(snapshots[1]!) as [string, string];
    await run.app.page.evaluate(([id, key]) => void window.cellwright.call('run.cells', { docId: id, keys: [key] }), [
      docId,
      endless,
    ] as const);
    await until(async () => (await must(run.app.page, 'doc.outputs', { docId, keys: [endless] }))[endless]?.length);
    expect(kernels.every(isRunning)).toBe(true);
    run.app.child.kill('SIGKILL');
    await until(async () => (await kernelPids([run.place.root])).length === 0);
    // One that is just ending has given up its environment already.
    await until(async () => !kernels.some(isRunning));
    // Nobody was there to remove them.
    const runtime = run.place.env.JUPYTER_RUNTIME_DIR!;
    expect((await readdir(runtime)).filter((name) => name.startsWith('kernel-'))).toHaveLength(2);
    await run.start();
    const again = await must(run.app.page, 'doc.open', { path: path.join(run.place.folder, 'idle.ipynb') });
    await must(run.app.page, 'run.cells', { docId: again.document.docId, keys: [cellKeys(again)[0]!] });
    await until(async () => (await readdir(runtime)).filter((name) => name.startsWith('kernel-')).length === 1);
    await run.stop();
    // The folder in which all processes say what they have open stays.
    const left = (await readdir(runtime)).filter((name) => /^(kernel|cellwright)-/.test(name) && name !== OPEN_FOLDER);
    expect(left).toEqual([]);
  });

  it('leaves nothing of a kernel that was just starting', async () => {
    await run.start();
    const file = await writeNotebook(path.join(run.place.folder, 'starting.ipynb'), cells);
    const { document } = await must(run.app.page, 'doc.open', { path: file });
    const runtime = run.place.env.JUPYTER_RUNTIME_DIR!;
    await run.app.page.evaluate((docId) => void window.cellwright.call('kernel.start', { docId }), document.docId);
    await until(async () => (await readdir(runtime).catch(() => [])).some((name) => name.startsWith('kernel-')));
    run.app.child.kill('SIGKILL');
    await until(async () => (await kernelPids([run.place.root])).length === 0);
  });
});
