/** What a client is told: never more often than it may be, the newest of what came meanwhile, and always the last word. */
import { expect, test } from 'vitest';
import { PacedTell } from '../../../main/agents/paced-tell.ts';
import { PROGRESS_MS } from '../../../main/execution/agents/progress.ts';

function recorded(): { paced: PacedTell; said: { message: string; at: number }[] } {
  const said: { message: string; at: number }[] = [];
  return { paced: new PacedTell((message) => said.push({ message, at: performance.now() })), said };
}

test('the first word comes at once, what comes meanwhile as one, and the last before the end', async () => {
  const { paced, said } = recorded();
  for (const message of ['first', 'skipped', 'newest']) paced.tell(message);
  expect(said.map(({ message }) => message)).toEqual(['first']);
  await expect.poll(() => said.length).toBe(2);
  paced.tell('skipped');
  paced.tell('last');
  await paced.end();
  expect(said.map(({ message }) => message)).toEqual(['first', 'newest', 'last']);
  for (let index = 1; index < said.length; index += 1)
    expect(said[index]!.at - said[index - 1]!.at).toBeGreaterThanOrEqual(PROGRESS_MS - 1);
});

test('an end without a word waits for nothing, and a dropped word is not said', async () => {
  const { paced, said } = recorded();
  await paced.end();
  paced.tell('first');
  paced.tell('dropped');
  paced.drop();
  await paced.end();
  await new Promise((resolve) => setTimeout(resolve, PROGRESS_MS * 1.5));
  expect(said.map(({ message }) => message)).toEqual(['first']);
});
