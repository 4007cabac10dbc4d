/**
 * A notebook of 200 MB: opened, edited and saved in slices, with everything untouched byte for byte. Time says nothing on a busy machine, so
 * what is counted is how often other work got its turn, and the longest hold as a share of the whole.
 */
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { DocumentStore } from '../../../main/documents/document-store.ts';
import { setSource } from '../../../preload/notebook-model.ts';
import { code, temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

const SIZE = 200_000_000;
/** Reading more than this at a stretch holds the loop longer than ten milliseconds on a slow machine. */
const MOST_BYTES_PER_TURN = 4_000_000;

/** Cells of about 100 kB: an image and printed lines. Gives the number of cells. */
function writeLarge(path: string): number {
  const lines = Array.from({ length: 300 }, (_value, line) => `epoch ${line}: loss ${line / 7} \u001b[32mé\u001b[0m\n`);
  const outputs = [
    { name: 'stdout', output_type: 'stream', text: lines },
    { data: { 'image/png': 'iVBORw0KGgo'.repeat(7_000) }, metadata: {}, output_type: 'display_data' },
  ];
  const cell = JSON.stringify(code(['plot(1)\n', 'plot(2)'], { execution_count: 3, outputs }), null, 1).replaceAll('\n', '\n  ');
  const text = Buffer.from(`  ${cell}`);
  const count = Math.ceil(SIZE / text.length);
  const file = openSync(path, 'w');
  writeSync(file, '{\n "cells": [\n');
  for (let index = 0; index < count; index += 1) {
    writeSync(file, text);
    writeSync(file, index < count - 1 ? ',\n' : '\n');
  }
  writeSync(file, ' ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 4\n}\n');
  closeSync(file);
  return count;
}

/** Runs `work` beside a loop that notes how long it was kept waiting. */
async function withHolds<T>(work: () => Promise<T>): Promise<{ value: T; longestShare: number }> {
  const begun = performance.now();
  let [last, longest, isOn] = [begun, 0, true];
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) setTimeout(tick);
  };
  tick();
  const value = await work();
  isOn = false;
  return { value, longestShare: longest / (performance.now() - begun) };
}

function readAt(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  const read = readSync(file, bytes, 0, length, position);
  closeSync(file);
  return bytes.subarray(0, read);
}

it('200 MB are opened, edited and saved while other work goes on', { timeout: 300_000 }, async () => {
  const path = folder.path('large.ipynb');
  const count = writeLarge(path);
  const { size } = statSync(path);
  const turns = vi.spyOn(globalThis, 'setImmediate');
  const opened = await withHolds(() => new DocumentStore().open(path));
  expect(turns.mock.calls.length).toBeGreaterThan(size / MOST_BYTES_PER_TURN);
  turns.mockRestore();
  expect(opened.longestShare).toBeLessThan(0.5);
  const document = opened.value;
  expect(document.keys()).toHaveLength(count);

  const before = readAt(path, 0, 300_000);
  const end = readAt(path, size - 300_000, 300_000);
  setSource(document.ydoc, document.keys()[1]!, 'plot(1)\nplot(20)');
  const saved = await withHolds(() => document.save());
  expect(saved.longestShare).toBeLessThan(0.5);
  expect(statSync(path).size).toBe(size + 1);
  expect(readAt(path, size + 1 - 300_000, 300_000).equals(end)).toBe(true);
  const now = readAt(path, 0, 300_001);
  const edit = now.toString('latin1').indexOf('plot(20)') + 'plot(2'.length;
  expect(Buffer.concat([now.subarray(0, edit), now.subarray(edit + 1)]).equals(before)).toBe(true);
});
