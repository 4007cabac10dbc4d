/**
 * Streams on their way to their artifacts: a disk that takes no more is said in the output, which goes on, and a kernel's end waits for the disk. Real
 * kernel, real limit.
 */
import { fork } from 'node:child_process';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ArtifactStore } from '../../../main/artifacts/artifact-store.ts';
import { NotebookSession } from '../../../main/execution/notebook-session.ts';
import type { HostProcess } from '../../../main/kernels/host/host-process.ts';
import { KernelManager } from '../../../main/kernels/kernel-manager.ts';
import type { StreamOutput } from '../../../preload/output-change.ts';
import { buildHostEntry } from '../../support/host-entry.ts';
import { MemoryNotebook } from './memory-notebook.ts';
import { openSession, pythonSpec, type SessionFixture, until } from './session-fixture.ts';

/** A host whose files can't grow past a few megabytes: the system refuses the write as a full disk would. */
function limitedHost(entry: string, execPath: string): HostProcess {
  const child = fork(entry, [], { serialization: 'advanced', execPath, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    carrier: {
      post: (message) => void child.send(message as object),
      onMessage: (listener) => void child.on('message', listener),
      onClose: (listener) => void child.on('exit', () => listener('ended')),
    },
    pid: child.pid ?? null,
    kill: () => void child.kill('SIGKILL'),
  };
}

it('says why the log is incomplete, and keeps the end', async (context) => {
  if (process.platform === 'win32') return context.skip('the limit is set by a shell');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'cellwright-disk-'));
  const limited = path.join(folder, 'limited-node');
  await writeFile(limited, `#!/bin/sh\nulimit -f 4096\nexec "${process.execPath}" "$@"\n`);
  await chmod(limited, 0o755);
  const entry = await buildHostEntry();
  const manager = new KernelManager({ spawnHost: () => limitedHost(entry, limited), runtimeFolder: path.join(folder, 'runtime') });
  const notebook = new MemoryNotebook();
  const session = new NotebookSession({
    target: notebook,
    kernels: manager,
    chooseSpec: async () => ({ spec: pythonSpec(), note: null }),
    cwd: () => folder,
    artifactFolder: path.join(folder, 'artifacts'),
  });
  try {
    const key = notebook.code('for i in range(400_000): print("a line of some length", i)\nprint("END")');
    expect((await session.runCells([key])).status).toBe('ok');
    const stream = () => notebook.cell(key)!.outputs[0] as StreamOutput;
    await until(() => stream().omitted?.failure !== undefined, 'the word about the disk');
    expect(stream().omitted).toMatchObject({ artifactId: null, failure: expect.stringContaining('EFBIG') });
    expect(stream().text.endsWith('length 399999\nEND\n')).toBe(true);
    const next = notebook.code('print("next")');
    await session.runCells([next]);
    expect(notebook.text(next)).toBe('next\n');
  } finally {
    await session.shutdown();
    await manager.close();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Prints a long text, and gives where it goes and how long that is. */
async function longText({ session, notebook, artifacts }: SessionFixture): Promise<{ file: string; bytes: number }> {
  const bytes = 200 * 1024 * 1024;
  const key = notebook.code(`import sys\n_ = sys.stdout.write("x" * ${bytes - 1} + "\\n")`);
  await session.runCells([key]);
  const { omitted } = notebook.cell(key)!.outputs[0] as StreamOutput;
  const artifact = await new ArtifactStore(artifacts).resolve(omitted!.artifactId!);
  return { file: artifact!.file, bytes };
}

it('the host tells a kernel’s shutdown once all of its output is on the disk', async () => {
  const fixture = await openSession();
  try {
    const { file, bytes } = await longText(fixture);
    const { id, host } = fixture.session.kernel!;
    // By itself a kernel takes so long to leave that a good disk is done before.
    await host.call('kernel.detach', { kernelId: id, reason: 'shutdown' });
    expect((await stat(file)).size).toBe(bytes);
  } finally {
    await fixture.close();
  }
});

it('also of a kernel that had died', async () => {
  const fixture = await openSession();
  try {
    const { file, bytes } = await longText(fixture);
    const { session, notebook, manager } = fixture;
    await session.runCells([notebook.code('import os; os._exit(3)')]);
    await session.shutdown();
    await manager.close();
    expect((await stat(file)).size).toBe(bytes);
  } finally {
    await fixture.close();
  }
});
