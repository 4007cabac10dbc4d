/**
 * `npm run screenshots`: the README's pictures, from the running app: the example of plots, run to its end, in the light and the dark theme, and an
 * agent that works on it, seen by the person.
 * The example lies in a folder of its own with a few neighbours, so that the pictures show a side bar that looks used, and nobody's files.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDisplay } from './display.mjs';
import { switchesFor, thisMachine } from './electron-switches.mjs';
import { repository } from './setup/paths.mjs';
import { prepare } from './setup/prepare.mjs';
import { main } from './setup/step.mjs';

const SIZE = { width: 1440, height: 900 };

/** The example's slowest cells are an import of pandas and a drawing in steps. */
const RUN_LIMIT_MS = 120_000;

/** Where the agent puts its cell: right below the heading that the pictures show. */
const CELL_OF_AGENT = 5;

/** The heading at the top of the pictures. */
const SHOWN = 'Two plots over one year';

/** A done cell's tick fades, and the window's last motion ends, within this time. */
const REST_MS = 2_500;

await main(async () => {
  const { electron, python } = await prepare({ needsXvfb: true, forTests: true });
  const { _electron } = await import('playwright-core');
  const display = await startDisplay();
  const place = await mkdtemp(path.join(tmpdir(), 'cellwright-screenshots-'));
  try {
    const notebook = await furnish(place, python);
    const { switches } = switchesFor(thisMachine(process.env, { isVirtual: true }));
    const env = {
      .../** @type {Record<string, string>} */ (process.env),
      DISPLAY: display.display,
      CELLWRIGHT_PROFILE: path.join(place, 'profile'),
      JUPYTER_PATH: path.join(place, 'jupyter'),
    };
    const args = [...switches, repository, notebook];
    const app = await _electron.launch({ executablePath: electron.path, args, cwd: path.dirname(notebook), env, colorScheme: null });
    const page = await app.firstWindow();
    await app.evaluate(({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentBounds({ x: 0, y: 0, ...size }), SIZE);
    await page.locator('article').first().waitFor();
    await runAll(page);
    await mkdir(path.join(repository, 'docs'), { recursive: true });
    await shoot(page, 'window', ['light', 'dark']);
    const agent = await workAsAgent(notebook, env);
    await shoot(page, 'agent', ['dark', 'light']);
    await agent.close();
    app.process().kill();
    return 0;
  } finally {
    await display.stop();
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
});

/**
 * One picture in each theme.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 * @param {readonly ('light' | 'dark')[]} themes
 */
async function shoot(page, name, themes) {
  for (const theme of themes) {
    await page.evaluate((choice) => window.cellwright.call('app.setTheme', { theme: choice }), theme);
    await page.waitForTimeout(REST_MS);
    const file = path.join('docs', `${name}-${theme}.png`);
    await page.screenshot({ path: path.join(repository, file) });
    console.log(`wrote ${file}`);
  }
}

/**
 * What an agent does through `cellwright mcp`, as any client's would: looks, adds a cell and runs it, and tries something aside.
 * @param {string} notebook
 * @param {Record<string, string>} env
 */
async function workAsAgent(notebook, env) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'assistant', version: '1.0' });
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', 'analyst'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: path.dirname(notebook) }));
  /** @param {string} name @param {Record<string, unknown>} values */
  const call = (name, values) => client.callTool({ name, arguments: values }, undefined, { timeout: RUN_LIMIT_MS });
  await call('notebook_read', { notebook_path: notebook });
  await call('python', {
    cells: [
      {
        title: 'Which days were wettest?',
        code: 'rain = [0.0, 4.2, 11.8, 0.4]\nfor day, mm in enumerate(rain):\n    print(f"day {day}: {mm:4.1f} mm")\nmax(rain)',
      },
    ],
  });
  await call('notebook', {
    action: 'insert',
    notebook_path: notebook,
    cell_index: CELL_OF_AGENT,
    content: 'wettest = weather["rain"].nlargest(5)\nprint("The five wettest days")\nwettest',
  });
  await call('notebook_run', { notebook_path: notebook, cell_index: CELL_OF_AGENT });
  return client;
}

/**
 * The folder that the side bar shows, and the test Python as its kernel.
 * @param {string} place
 * @param {string} python
 * @returns {Promise<string>} path of the notebook
 */
async function furnish(place, python) {
  const folder = path.join(place, 'weather');
  const kernel = path.join(place, 'jupyter', 'kernels', 'python3');
  for (const each of [path.join(folder, 'data'), kernel]) await mkdir(each, { recursive: true });
  const argv = [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
  await writeFile(path.join(kernel, 'kernel.json'), JSON.stringify({ argv, display_name: 'Python 3', language: 'python' }));
  const examples = path.join(repository, 'main', 'window', 'examples');
  await cp(path.join(examples, 'welcome.ipynb'), path.join(folder, 'tour.ipynb'));
  await cp(path.join(examples, 'plots.ipynb'), path.join(folder, 'weather.ipynb'));
  await writeFile(path.join(folder, 'stations.csv'), 'station,height\nnorth,120\n');
  return path.join(folder, 'weather.ipynb');
}

/**
 * Runs every cell and goes to the plot.
 * @param {import('playwright-core').Page} page
 */
async function runAll(page) {
  await page.keyboard.press('Control+Shift+P');
  await page.locator('[cmdk-input]').fill('Run all cells');
  await page.locator('[cmdk-item]').first().click();
  await page.locator('[data-kernel-state="busy"]').waitFor({ timeout: RUN_LIMIT_MS });
  await page.locator('[data-kernel-state="idle"]').waitFor({ timeout: RUN_LIMIT_MS });
  await page.waitForFunction(() => !document.querySelector('article[data-run="running"], article[data-run="queued"]'));
  await page.getByLabel('Outline').getByText(SHOWN).click();
  await page.getByRole('heading', { name: SHOWN }).evaluate((heading) => heading.closest('article')?.scrollIntoView({ block: 'start' }));
  await page.keyboard.press('Control+S');
}
