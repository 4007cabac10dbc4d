/** What counts as running out of descriptors, and the one retry after it. */
import { describe, expect, it } from 'vitest';
import { isNearLimit } from '../../../main/kernels/direct/descriptors.ts';
import { KernelNotFoundError, KernelStartError, KernelTimeoutError } from '../../../main/kernels/errors.ts';
import { RemoteError } from '../../../main/kernels/host/rpc.ts';
import { mayBeExhausted, type Room, saysExhausted, TooManyFilesError, withRoom } from '../../../main/kernels/room.ts';

function coded(code: string): Error {
  return Object.assign(new Error('failed'), { code });
}

const silence = new KernelStartError('no-answer', 'The kernel did not answer.', '');

describe('exhaustion is', () => {
  it.each<[string, unknown, boolean]>([
    ['the code of a port probe', coded('EMFILE'), true],
    ['the whole system’s limit', coded('ENFILE'), true],
    ['the words of a spawn', new Error('spawn /usr/bin/python3 EMFILE'), true],
    ['the words of the system', new Error('OSError: [Errno 24] Too many open files'), true],
    ['a socket in the kernel host', new RemoteError('Too many open files', 'Error', 'EMFILE'), true],
    ['a start that names it', new KernelStartError('too-many-files', 'The limit is reached.', ''), true],
    ['what the kernel says of itself', new KernelStartError('unknown', 'It ended.', '', 'OSError: [Errno 24] Too many open files'), true],
    ['the cause of an error', new Error('no kernel', { cause: new Error('no sockets', { cause: coded('EMFILE') }) }), true],
    ['not a missing program', new KernelStartError('no-program', 'It is not there.', ''), false],
    ['not another code', coded('ENOSPC'), false],
    ['not a word that contains it', new Error('the module REMFILES is missing'), false],
    ['not nothing', null, false],
  ])('%s', (_name, error, expected) => {
    expect(saysExhausted(error)).toBe(expected);
  });

  it('not looked for in a circle of causes for ever', () => {
    const error = new Error('round');
    error.cause = error;
    expect(saysExhausted(error)).toBe(false);
  });

  it.each<[string, unknown, boolean]>([
    ['a silent wait', silence, true],
    ['a request without an answer', new KernelTimeoutError('no answer'), true],
    ['a search that found no interpreter', new KernelNotFoundError('No Python.', ''), true],
    ['no folder', new KernelStartError('no-folder', 'It is not there.', ''), false],
  ])('possible for %s', (_name, error, expected) => {
    expect(mayBeExhausted(error)).toBe(expected);
  });

  it('near when a start would not fit any more', () => {
    expect(isNearLimit({ open: 90, limit: 100 })).toBe(true);
    expect(isNearLimit({ open: 50, limit: 100 })).toBe(false);
    expect(isNearLimit({ open: 50, limit: Infinity })).toBe(false);
    expect(isNearLimit(null)).toBe(false);
  });
});

describe('with room', () => {
  /** Fails as often as there are errors, then gives `made`. */
  function attempt(...errors: unknown[]): { calls: number; attempt: () => Promise<string> } {
    const state = {
      calls: 0,
      attempt: async () => {
        const error = errors[state.calls++];
        if (error !== undefined) throw error;
        return 'made';
      },
    };
    return state;
  }

  function room(scarce = false): Room & { made: number } {
    const state = {
      made: 0,
      make: async () => {
        state.made += 1;
      },
      isScarce: async () => scarce,
      limit: async () => 120,
    };
    return state;
  }

  it('nothing is ended when nothing fails', async () => {
    const [tried, space] = [attempt(), room()];
    expect(await withRoom(tried.attempt, space)).toBe('made');
    expect([tried.calls, space.made]).toEqual([1, 0]);
  });

  it('it is tried once more', async () => {
    const [tried, space] = [attempt(coded('EMFILE')), room()];
    expect(await withRoom(tried.attempt, space)).toBe('made');
    expect([tried.calls, space.made]).toEqual([2, 1]);
  });

  it('it is tried only once more, and then the limit is named', async () => {
    const [tried, space] = [attempt(coded('EMFILE'), coded('EMFILE'), coded('EMFILE')), room()];
    const error = await withRoom(tried.attempt, space).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TooManyFilesError);
    expect((error as TooManyFilesError).message).toMatch(/^Too many open files: the limit is 120 \(`ulimit -n`\)/);
    expect([tried.calls, space.made]).toEqual([2, 1]);
  });

  it('another error is passed on, the first time and the second', async () => {
    const [first, second] = [attempt(coded('ENOENT')), attempt(coded('EMFILE'), coded('ENOENT'))];
    await expect(withRoom(first.attempt, room())).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(withRoom(second.attempt, room())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('the limit of processes has its own words', async () => {
    const processes = new KernelStartError('too-many-files', 'The system’s limit of open files or processes is reached (EAGAIN).', '');
    const space = room();
    await expect(withRoom(attempt(processes, processes).attempt, space)).rejects.toBe(processes);
    expect(space.made).toBe(1);
  });

  it('a silent wait counts at the limit alone', async () => {
    const [there, elsewhere] = [room(true), room(false)];
    expect(await withRoom(attempt(silence).attempt, there)).toBe('made');
    await expect(withRoom(attempt(silence).attempt, elsewhere)).rejects.toBe(silence);
    expect([there.made, elsewhere.made]).toEqual([1, 0]);
  });
});
