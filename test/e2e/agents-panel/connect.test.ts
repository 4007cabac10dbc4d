/** Connecting an agent in the real window: what is copied works as a client's configuration, and the token is nowhere on the page. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePlace, type RunningApp, removePlace, startApp, stopApp, type TestPlace } from '../window/start-app.ts';

let place: TestPlace;
let app: RunningApp;

beforeAll(async () => {
  place = await makePlace();
  app = await startApp(place);
});
afterAll(async () => {
  await stopApp(app);
  await removePlace(place);
});

const clipboard = () => app.electron.evaluate(({ clipboard: board }) => board.readText());

test('each client has its configuration to copy, with the token only in the copy', async () => {
  const { page } = app;
  await page.getByRole('button', { name: /What goes into which client/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect an agent' });
  await dialog.getByRole('button', { name: 'VS Code' }).click();
  await dialog.getByText('Put this into .vscode/mcp.json:').waitFor();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(clipboard, { timeout: 20_000 }).toContain('"servers"');
  const { servers } = JSON.parse(await clipboard());
  expect(servers.cellwright).toMatchObject({ type: 'stdio', command: 'node', args: expect.arrayContaining(['mcp', '--folder']) });
  expect(await readFile(servers.cellwright.args[0], 'utf8')).toContain('cellwright');

  const { token, url } = JSON.parse(await readFile(path.join(place.profile, 'agents', 'endpoint.json'), 'utf8'));
  await dialog.getByRole('button', { name: 'Any client over HTTP' }).click();
  await dialog.getByText('The token is left out here').waitFor();
  expect(await page.content()).not.toContain(token);
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(clipboard, { timeout: 20_000 }).toContain(token);
  expect(JSON.parse(await clipboard()).mcpServers.cellwright).toMatchObject({ url, headers: { Authorization: `Bearer ${token}` } });
  expect(app.problems).toEqual([]);
});

test('the panel without agents leads there, and one Escape leads back to the button', async () => {
  const { page } = app;
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Agents' }).first().click();
  const way = page.getByRole('complementary', { name: 'Agents' }).getByText('Connect an agent…');
  await way.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Connect an agent' });
  await dialog.waitFor();
  const hasKeyboard = (of: typeof way) => of.evaluate((element) => element === document.activeElement);
  await expect.poll(() => hasKeyboard(dialog.getByRole('button', { name: 'Claude Code' }))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => hasKeyboard(way)).toBe(true);
});
