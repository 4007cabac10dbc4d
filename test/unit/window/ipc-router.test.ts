import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../main/log/log.ts';
import { ActionError, toFailure } from '../../../main/window/failure.ts';
import { type CallHandlers, IpcRouter, type PostHandlers } from '../../../main/window/ipc-router.ts';
import { callSchemas, postSchemas } from '../../../preload/contract.ts';

function harness(options: { answer?: (name: string, args: unknown) => unknown } = {}) {
  const lines: { level: string; event: string; fields: unknown }[] = [];
  const record = (level: string) => (event: string, fields?: unknown) => void lines.push({ level, event, fields });
  const log: Log = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
  const asked: [string, unknown, unknown][] = [];
  const table = (names: string[]) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        (context: unknown, args: unknown) => {
          asked.push([name, context, args]);
          return options.answer?.(name, args) ?? null;
        },
      ]),
    );
  const router = new IpcRouter(
    table(Object.keys(callSchemas)) as unknown as CallHandlers<string>,
    table(Object.keys(postSchemas)) as unknown as PostHandlers<string>,
    log,
  );
  return { router, asked, lines };
}

describe('a call', () => {
  it('reaches its handler with the checked arguments and answers with the value', async () => {
    const { router, asked } = harness({ answer: () => ({ paths: ['/a'] }) });
    expect(await router.call('window 1', 'doc.open', { path: '/x.ipynb', extra: 1 })).toEqual({ ok: true, value: { paths: ['/a'] } });
    expect(asked).toEqual([['doc.open', 'window 1', { path: '/x.ipynb' }]]);
  });

  it.each([
    ['a foreign sender', null, 'app.start', undefined, 'forbidden'],
    ['an unknown name', 'w', 'fs.read', { path: '/etc/passwd' }, 'bad-call'],
    ['a name from the prototype', 'w', 'constructor', undefined, 'bad-call'],
    ['a name that is no text', 'w', ['app.start'], undefined, 'bad-call'],
    ['missing arguments', 'w', 'doc.open', undefined, 'bad-call'],
    ['arguments where there are none', 'w', 'app.start', { a: 1 }, 'bad-call'],
    ['a wrong type', 'w', 'doc.open', { path: 7 }, 'bad-call'],
    ['an address that would run a program', 'w', 'app.openExternal', { url: 'file:///usr/bin/xcalc' }, 'bad-call'],
    ['a negative cursor', 'w', 'kernel.complete', { docId: 'd', code: '', cursor: -1 }, 'bad-call'],
    ['too many keys', 'w', 'doc.outputs', { docId: 'd', keys: Array(501).fill('k') }, 'bad-call'],
  ])('with %s is refused before any handler', async (_, context, name, args, code) => {
    const { router, asked, lines } = harness();
    expect(await router.call(context, name, args)).toMatchObject({ ok: false, error: { code } });
    expect(asked).toEqual([]);
    expect(lines[0]?.level).toBe('warn');
  });

  it('answers with what a typed error says', async () => {
    const { router } = harness({
      answer: () => {
        throw new ActionError('unsaved', 'There is unsaved work.', 'Save it.', 'three cells');
      },
    });
    expect(await router.call('w', 'doc.close', { docId: 'd', discard: false, stop: false })).toEqual({
      ok: false,
      error: { code: 'unsaved', message: 'There is unsaved work.', hint: 'Save it.', detail: 'three cells' },
    });
  });

  it('keeps a stack and a message of an unexpected error in the log, away from the page', async () => {
    const { router, lines } = harness({ answer: () => Promise.reject(new TypeError("reading 'secret' of undefined")) });
    const result = await router.call('w', 'app.start', undefined);
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toMatch(/secret|at .*:\d+/);
    expect(lines).toMatchObject([{ level: 'error', event: 'ipc.failed', fields: { call: 'app.start', error: 'TypeError' } }]);
    expect(JSON.stringify(lines)).toContain('secret');
  });

  it.each([undefined, null, 'text', 7, { a: 1 }])('survives a handler that throws %s', async (thrown) => {
    const { router } = harness({ answer: () => Promise.reject(thrown) });
    expect(await router.call('w', 'app.start', undefined)).toMatchObject({ ok: false, error: { code: 'internal' } });
  });

  it('never rejects, whatever is sent', async () => {
    const { router } = harness();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom(...Object.keys(callSchemas)), fc.string()), fc.anything(), async (name, args) => {
        const result = await router.call('w', name, args);
        expect(typeof result.ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('never writes its arguments to the log', async () => {
    const { router, lines } = harness();
    await router.call('w', 'run.input', { docId: 'd', key: 'k', value: 'my password', cursor: 1 });
    await router.call('w', 'run.input', { docId: 7, key: 'k', value: 'my password' });
    await router.call('w', 'app.copyText', { text: 7, secret: 'my password' });
    expect(JSON.stringify(lines)).not.toContain('my password');
  });
});

describe('a post', () => {
  it('reaches its handler', () => {
    const { router, asked } = harness();
    const update = new Uint8Array([1, 2]);
    router.post('w', 'doc.update', { docId: 'd', update });
    expect(asked).toEqual([['doc.update', 'w', { docId: 'd', update }]]);
  });

  it.each([
    ['a foreign sender', null, 'window.tabs', { open: [], active: null }],
    ['an unknown name', 'w', 'doc.erase', {}],
    ['the name of a call', 'w', 'app.start', undefined],
    ['wrong bytes', 'w', 'doc.update', { docId: 'd', update: [1, 2] }],
  ])('with %s goes nowhere', (_, context, name, payload) => {
    const { router, asked } = harness();
    router.post(context, name, payload);
    expect(asked).toEqual([]);
  });

  it('does no harm when its handler throws', () => {
    const { router, lines } = harness({
      answer: () => {
        throw new Error('no such document');
      },
    });
    router.post('w', 'window.tabs', { open: [], active: null });
    expect(lines).toMatchObject([{ level: 'error', event: 'ipc.failed' }]);
  });
});

describe('a failure', () => {
  const systemError = (code: string) => Object.assign(new Error(`${code}: x`), { code, path: '/data/x.ipynb' });
  it.each(['ENOENT', 'EISDIR', 'EACCES', 'ENOSPC', 'EROFS', 'EMFILE'])('of the file system, %s, says what to do', (code) => {
    const { failure, unexpected } = toFailure(systemError(code));
    expect(unexpected).toBe(false);
    expect(failure).toMatchObject({ code: code.toLowerCase(), detail: '/data/x.ipynb' });
    expect(failure.hint).toMatch(/\.$/);
  });

  it('takes the end of a kernel’s stderr as its detail', () => {
    const error = Object.assign(new Error('The kernel did not start.'), {
      name: 'KernelStartError',
      hint: 'Install it.',
      stderrTail: 'No module',
    });
    expect(toFailure(error).failure).toEqual({
      code: 'kernel-start',
      message: 'The kernel did not start.',
      hint: 'Install it.',
      detail: 'No module',
    });
  });

  it('knows a typed error by its name when it came over from another process', () => {
    const error = Object.assign(new Error('The kernel host is gone.'), { name: 'HostGoneError' });
    expect(toFailure(error)).toEqual({ unexpected: false, failure: { code: 'host-gone', message: 'The kernel host is gone.', hint: '' } });
  });
});
