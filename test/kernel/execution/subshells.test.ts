/** A subshell of the kernel that another client talks to, while a cell runs in the main shell: what belongs to it ends and marks no cell. */
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KernelState } from '../../../main/kernels/kernel.ts';
import { testPython } from '../../support/python.ts';
import { openSession, type SessionFixture, until } from './session-fixture.ts';

let fixture: SessionFixture;
let comm = '';
beforeAll(async () => {
  fixture = await openSession();
  const key = fixture.notebook.code('from comm import create_comm\nopened = create_comm(target_name="test")\nprint(opened.comm_id)');
  await fixture.session.runCells([key]);
  comm = fixture.notebook.text(key).trim();
});
afterAll(() => fixture.close());

let clients = 0;

const text = (key: string) => fixture.notebook.text(key);

interface Client {
  /** Ends it when everything was answered and it has asked on for as long as it should. */
  end(): Promise<void>;
}

/** The other client; resolves when each of its questions was answered once. It goes on with one of them. */
async function talkOnSubshell(): Promise<Client> {
  const runtime = path.join(fixture.folder, 'runtime');
  const file = (await readdir(runtime)).find((name) => name.startsWith('kernel-'))!;
  const enough = path.join(fixture.folder, `enough-${clients++}`);
  const program = path.join(import.meta.dirname, 'subshell_client.py');
  const ended = promisify(execFile)(testPython(), [program, path.join(runtime, file), enough, comm]);
  let answered = '';
  ended.child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    answered += chunk;
  });
  ended.catch(() => {});
  await until(() => answered === 'info\ncompletion\nrun\ncomm\ninspection\n', 'every answer on the subshell');
  return {
    end: async () => {
      await writeFile(enough, '');
      await ended;
    },
  };
}

it('a cell runs on to its own end, with its own outputs, and the kernel is busy until then', async () => {
  const { session, notebook, folder } = fixture;
  const go = path.join(folder, 'go');
  const code = `import os, time
print("begun", flush=True)
while not os.path.exists(${JSON.stringify(go)}): time.sleep(.01)
print("end")`;
  const key = notebook.code(code);
  const next = notebook.code('"next"');
  const done = session.runCells([key, next]);
  await until(() => text(key) === 'begun\n' && session.kernel?.state === 'busy', 'the cell’s beginning');
  const states: KernelState[] = [];
  const stop = session.kernel!.on('state', (state) => states.push(state));
  const client = await talkOnSubshell();
  expect(states).toEqual([]);
  expect(text(key)).toBe('begun\n');
  expect(session.runs().get(key)!.state).toBe('running');
  expect(session.runs().get(next)!.state).toBe('queued');
  // And while its questions go on, the cell ends as it would alone.
  await writeFile(go, '');
  expect((await done).status).toBe('ok');
  expect([text(key), text(next)]).toEqual(['begun\nend\n', "<'next'>"]);
  await until(() => session.kernel?.state === 'idle', 'the idle kernel');
  stop();
  await client.end();
});

it('an interrupt meets the cell, and is followed up in spite of the subshell’s idles', async () => {
  const { session, notebook } = fixture;
  const key = notebook.code('print("begun", flush=True)\nwhile True:\n  !sleep 0.3');
  const done = session.runCells([key]);
  await until(() => text(key).startsWith('begun\n'), 'the cell’s beginning');
  const client = await talkOnSubshell();
  await session.interrupt();
  expect((await done).status).toBe('failed');
  await client.end();
});
