import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Backlog } from '../../../main/kernels/direct/backlog.ts';
import { ChannelReader, type Receiver } from '../../../main/kernels/direct/channel-reader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cellwright-backlog-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A message whose first frame says which one it is. */
const message = (number: number, bytes: number): Uint8Array[] => [
  Buffer.from(`#${number}`),
  Buffer.alloc(bytes, number % 256),
  Buffer.alloc(0),
];
const numberOf = (frames: Uint8Array[]): number => Number(Buffer.from(frames[0]!).toString().slice(1));

describe('a backlog', () => {
  test('gives every message back whole and in order, whichever were on the disk', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(900), fc.constant('take' as const)), { maxLength: 120 }), (steps) => {
        const backlog = new Backlog(folder, 1500);
        const sent: Uint8Array[][] = [];
        const got: Uint8Array[][] = [];
        for (const step of steps) {
          if (step === 'take') {
            if (!backlog.isEmpty) got.push(backlog.shift());
          } else {
            sent.push(message(sent.length, step));
            backlog.push(sent.at(-1)!);
          }
        }
        while (!backlog.isEmpty) got.push(backlog.shift());
        backlog.close();
        expect(got.map((frames) => frames.map((frame) => Buffer.from(frame)))).toEqual(
          sent.map((frames) => frames.map((frame) => Buffer.from(frame))),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('leaves no file', () => {
    const backlog = new Backlog(folder, 10);
    backlog.push(message(0, 1000));
    expect(numberOf(backlog.shift())).toBe(0);
    backlog.push(message(1, 1000));
    backlog.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keeps everything in memory when the disk takes nothing', () => {
    const backlog = new Backlog(path.join(folder, 'not-there'), 10);
    for (let number = 0; number < 50; number += 1) backlog.push(message(number, 100));
    const got: number[] = [];
    while (!backlog.isEmpty) got.push(numberOf(backlog.shift()));
    expect(got).toEqual(Array.from({ length: 50 }, (_, number) => number));
  });

  test('an empty one has nothing to give', () => {
    expect(() => new Backlog(folder).shift()).toThrow('The backlog is empty.');
  });
});

/** A socket that always has its next message ready, as in a flood: `receive` never leaves the microtasks. */
class Flood implements Receiver {
  closed = false;
  readonly #messages: Uint8Array[][];
  #next = 0;

  constructor(messages: Uint8Array[][]) {
    this.#messages = messages;
  }

  get readable(): boolean {
    return this.#next < this.#messages.length;
  }

  get taken(): number {
    return this.#next;
  }

  receive(): Promise<Uint8Array[]> {
    const frames = this.#messages[this.#next];
    if (!frames) return new Promise(() => {});
    this.#next += 1;
    return Promise.resolve(frames);
  }
}

describe('a reader', () => {
  test('hands everything over in order, large and small', async () => {
    const sizes = Array.from({ length: 300 }, (_, number) => (number % 7 === 0 ? 200_000 : 50));
    const flood = new Flood(sizes.map((bytes, number) => message(number, bytes)));
    const got: number[] = [];
    const reader = new ChannelReader('iopub', flood, { onFrames: (_channel, frames) => got.push(numberOf(frames)), onError: () => {} });
    while (reader.hasUnread) await new Promise((resolve) => setImmediate(resolve));
    expect(got).toEqual(sizes.map((_, number) => number));
  });

  test('takes out of the socket what waits behind a large message', () => {
    const flood = new Flood(Array.from({ length: 20 }, (_, number) => message(number, 200_000)));
    let takenAtSecond = 0;
    const done = new Promise<void>((resolve) => {
      new ChannelReader('iopub', flood, {
        onFrames: (_channel, frames) => {
          if (numberOf(frames) === 1) takenAtSecond = flood.taken;
          if (numberOf(frames) === 19) resolve();
        },
        onError: () => {},
      });
    });
    return done.then(() => expect(takenAtSecond).toBe(20));
  });

  test('gives the event loop its turns in a flood that does not pause', async () => {
    const flood = new Flood(Array.from({ length: 64 }, (_, number) => message(number, 1024 * 1024)));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const turnsAtEnd = await new Promise<number>((resolve) => {
      new ChannelReader('iopub', flood, { onFrames: (_channel, frames) => numberOf(frames) === 63 && resolve(turns), onError: () => {} });
    });
    clearImmediate(immediate);
    expect(turnsAtEnd).toBeGreaterThan(20);
  });

  test('lives on when a message could not be handled', async () => {
    const flood = new Flood(Array.from({ length: 3 }, (_, number) => message(number, 10)));
    const got: number[] = [];
    const errors: unknown[] = [];
    const reader = new ChannelReader('iopub', flood, {
      onFrames: (_channel, frames) => {
        if (numberOf(frames) === 1) throw new Error('no message');
        got.push(numberOf(frames));
      },
      onError: (_channel, error) => errors.push(error),
    });
    while (reader.hasUnread) await new Promise((resolve) => setImmediate(resolve));
    expect(got).toEqual([0, 2]);
    expect(errors).toHaveLength(1);
  });
});
