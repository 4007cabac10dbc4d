/**
 * `view_output` in the real app: every kind of output comes as the picture that a person would see, with what its scripts reported; and outputs that
 * misbehave cost one call and nothing else.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../../scripts/setup/paths.mjs';
import { type TestAgent, textOf, toolCalls } from '../../kernel/agents/mcp-fixture.ts';
import {
  codeCell,
  endOf,
  makePlace,
  must,
  type RunningApp,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from '../window/start-app.ts';

type Rgb = readonly [number, number, number];

const RED: Rgb = [255, 0, 0];
const GREEN: Rgb = [0, 255, 0];
const BLUE: Rgb = [0, 0, 255];

let place: TestPlace;
let app: RunningApp;
let agent: Pick<TestAgent, 'client' | 'call' | 'text' | 'structure'>;
let notebooks = 0;

beforeAll(async () => {
  place = await makePlace();
  app = await startApp(place);
  const args = [path.join(repository, 'bin', 'cellwright.mjs'), 'mcp', '--name', 'viewer'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: place.env, cwd: place.folder, stderr: 'inherit' });
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport, { timeout: 100_000 });
  agent = toolCalls(client);
});
afterAll(async () => {
  await agent?.client.close();
  if (app) await stopApp(app);
  await removePlace(place);
});

/** A notebook with one cell for each list of outputs, shown in the window. */
async function show(cells: readonly (readonly object[])[], { trusted = false } = {}): Promise<string> {
  notebooks += 1;
  const file = path.join(place.folder, `view${notebooks}.ipynb`);
  await writeNotebook(
    file,
    cells.map((outputs) => codeCell('show()', outputs)),
  );
  const { document } = await must(app.page, 'doc.open', { path: file });
  if (trusted) await must(app.page, 'doc.trust', { docId: document.docId });
  return file;
}

function display(data: Record<string, unknown>): object {
  return { output_type: 'display_data', data, metadata: {} };
}

interface Seen {
  picture: PNG;
  text: string;
  drawn: { width: number; height: number; top: number; totalHeight: number; theme: string; settled: boolean };
  console: { level: string; text: string }[];
}

async function see(file: string, args: Record<string, unknown> = {}): Promise<Seen> {
  const answer = await agent.call('view_output', { notebook_path: file, cell_index: 0, ...args });
  if (answer.isError) throw new Error(textOf(answer));
  const image = answer.content.find((part) => part.type === 'image');
  const picture = PNG.sync.read(Buffer.from((image as { data: string }).data, 'base64'));
  const { drawn, console } = answer.structuredContent as unknown as Pick<Seen, 'drawn' | 'console'>;
  expect([picture.width, picture.height]).toEqual([drawn.width, drawn.height]);
  return { picture, text: textOf(answer), drawn, console };
}

function count({ picture: { data } }: Pick<Seen, 'picture'>, [red, green, blue]: Rgb): number {
  let found = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
  return found;
}

/** Different colours: text alone has dozens, an empty page has one. */
function colours({ picture: { data } }: Seen): number {
  const all = new Set<number>();
  for (let at = 0; at < data.length; at += 4) all.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
  return all.size;
}

function box(colour: string, width = 300, height = 100): string {
  return `<div style="background:${colour};width:${width}px;height:${height}px"></div>`;
}

/** Forty pixels square. */
const RED_PNG = PNG.sync
  .write(Object.assign(new PNG({ width: 40, height: 40 }), { data: Buffer.alloc(6_400, Buffer.from([255, 0, 0, 255])) }))
  .toString('base64');

describe('every kind of output', () => {
  test.each([
    ['text', [{ output_type: 'stream', name: 'stdout', text: 'hello\nworld\n' }]],
    ['text with colours', [{ output_type: 'stream', name: 'stdout', text: '\u001b[41m        \u001b[0m\n' }]],
    ['an error', [{ output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['ValueError: no'] }]],
    ['a table', [display({ 'text/html': '<table><tr><td>1</td><td>2</td></tr></table>' })]],
    ['HTML', [display({ 'text/html': box('#f00') })], RED],
    ['an image', [display({ 'image/png': RED_PNG })], RED],
    [
      'SVG',
      [
        display({
          'image/svg+xml':
            '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="#0f0"/></svg>',
        }),
      ],
      GREEN,
    ],
    ['JSON', [display({ 'application/json': { name: 'run', scores: [1, 2, 3] } })]],
    ['markdown', [display({ 'text/markdown': '# Title\n\n- one\n- two' })]],
    ['LaTeX', [display({ 'text/latex': '$\\int_0^1 x^2 dx$' })]],
    [
      'a stored plotly figure',
      [display({ 'application/vnd.plotly.v1+json': { data: [{ type: 'bar', x: [1], y: [9], marker: { color: '#f00' } }], layout: {} } })],
      RED,
    ],
    [
      'a stored Vega-Lite chart',
      [
        display({
          'application/vnd.vegalite.v5+json': {
            data: { values: [{ a: 'x', b: 9 }] },
            mark: { type: 'bar', color: '#0f0' },
            encoding: { x: { field: 'a' }, y: { field: 'b', type: 'quantitative' } },
            width: 100,
          },
        }),
      ],
      GREEN,
    ],
    [
      'JavaScript',
      [display({ 'application/javascript': 'element.innerHTML = \'<div style="background:#00f;width:50px;height:50px"></div>\'' })],
      BLUE,
    ],
    [
      'a script in HTML that draws later',
      [
        display({
          'text/html': `<canvas id="c" width="60" height="60"></canvas><script>setTimeout(() => { const c = document.getElementById('c').getContext('2d'); c.fillStyle = '#00f'; c.fillRect(0, 0, 60, 60); }, 150)</script>`,
        }),
      ],
      BLUE,
    ],
  ] satisfies [string, object[], Rgb?][])('%s', async (_name, outputs, colour?: Rgb) => {
    const seen = await see(await show([outputs], { trusted: true }));
    expect(colours(seen)).toBeGreaterThan(1);
    if (colour) expect(count(seen, colour)).toBeGreaterThan(0);
    expect(seen.console).toEqual([]);
    expect(seen.drawn.settled).toBe(true);
  });

  test('all outputs of a cell stand one below the other, or one of them alone', async () => {
    const file = await show([[display({ 'text/html': box('#f00') }), display({ 'text/html': box('#0f0') })]]);
    const both = await see(file);
    expect([count(both, RED), count(both, GREEN)].map((pixels) => pixels > 20_000)).toEqual([true, true]);
    const second = await see(file, { output_index: 1 });
    expect(count(second, RED)).toBe(0);
    expect(count(second, GREEN)).toBeGreaterThan(20_000);
    const missing = await agent.call('view_output', { notebook_path: file, cell_index: 0, output_index: 2 });
    expect(textOf(missing)).toMatch(/Error: .*out of range.*from 0 to 1/);
  });

  test('in the theme and the width that were asked for', async () => {
    const file = await show([[{ output_type: 'stream', name: 'stdout', text: 'x\n' }]]);
    const [light, dark] = [await see(file, { theme: 'light', width: 400 }), await see(file, { theme: 'dark', width: 400 })];
    expect([light.picture.width, dark.picture.width]).toEqual([400, 400]);
    expect(light.picture.data[0]).toBeGreaterThan(200);
    expect(dark.picture.data[0]).toBeLessThan(60);
  });

  test('what is too high is seen piece by piece', async () => {
    const file = await show([[display({ 'text/html': box('#f00', 100, 2_500) + box('#0f0', 100, 100) })]]);
    const folded = await see(file);
    expect(folded.drawn.totalHeight).toBeLessThan(1_000);
    const first = await see(file, { whole: true });
    expect(first.drawn.totalHeight).toBeGreaterThan(2_600);
    expect(count(first, GREEN)).toBe(0);
    expect(first.text).toContain(`call with top ${first.drawn.height}`);
    const rest = await see(file, { whole: true, top: first.drawn.height });
    expect(count(rest, GREEN)).toBe(10_000);
    const below = await agent.call('view_output', { notebook_path: file, cell_index: 0, top: 100_000 });
    expect(textOf(below)).toMatch(/Error: .*below the end/);
  });

  test('a cell without outputs says so', async () => {
    const answer = await agent.call('view_output', { notebook_path: await show([[]]), cell_index: 0 });
    expect(textOf(answer)).toMatch(/Error: .*no outputs/);
  });
});

describe('scripts', () => {
  test('are held back until the person trusts the notebook, as in the window', async () => {
    const script = display({ 'text/html': `<b>x</b><script>document.body.innerHTML = '${box('#00f')}'</script>` });
    expect(count(await see(await show([[script]])), BLUE)).toBe(0);
    expect(count(await see(await show([[script]], { trusted: true })), BLUE)).toBeGreaterThan(20_000);
  });

  test('what they report comes along, marked as output and bounded', async () => {
    const html = `<p>plot</p><script>console.log('unseen'); console.warn('old axis'); for (let i = 0; i < 100; i += 1) console.error('broken ' + 'x'.repeat(2000));</script><script>nothing.here()</script>`;
    const { console, text } = await see(await show([[display({ 'text/html': html })]], { trusted: true }));
    expect(console[0]).toEqual({ level: 'warning', text: 'old axis' });
    expect(console.length).toBe(20);
    expect(Math.max(...console.map((line) => line.text.length))).toBeLessThan(600);
    expect(text).toContain('| warning: old axis');
    expect(text).toContain('82 more');
    expect(text).not.toContain('unseen');
  });

  test('one that moves for ever gives one moment of it', async () => {
    const html = `${box('#f00')}<p id="n"></p><script>setInterval(() => { document.getElementById('n').textContent = Math.random(); }, 30)</script>`;
    const seen = await see(await show([[display({ 'text/html': html })]], { trusted: true }));
    expect(seen.drawn.settled).toBe(false);
    expect(count(seen, RED)).toBeGreaterThan(20_000);
  });

  test('one without an end is told, and the next picture is taken all the same', async () => {
    const file = await show([[display({ 'text/html': '<script>for (;;) {}</script>' })], [display({ 'text/html': box('#f00') })]], {
      trusted: true,
    });
    // In the window its own frame would hang; a closed tab takes it away.
    const { document } = await must(app.page, 'doc.open', { path: file });
    await must(app.page, 'doc.close', { docId: document.docId, discard: true, stop: true });
    const endless = agent.call('view_output', { notebook_path: file, cell_index: 0 });
    const waiting = see(file, { cell_index: 1 });
    expect(textOf(await endless)).toMatch(/Error: .*did not come to an end within 20 s/);
    expect(count(await waiting, RED)).toBeGreaterThan(20_000);
  });
});

describe('the hidden page', () => {
  const hidden = (): Promise<number> =>
    app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().filter((window) => window.webContents.isOffscreen()).length);

  test('is one, however many ask at once, and each gets its own', async () => {
    const file = await show([
      [display({ 'text/html': box('#f00') })],
      [display({ 'text/html': box('#0f0') })],
      [display({ 'text/html': box('#00f') })],
    ]);
    const all = await Promise.all([0, 1, 2].map((index) => see(file, { cell_index: index })));
    expect(all.map((seen) => [RED, GREEN, BLUE].map((colour) => count(seen, colour) > 0))).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
    expect(await hidden()).toBe(1);
  });

  test('may crash: the call says so, and the next one works', async () => {
    const moving = `<p id="n"></p><script>setInterval(() => { document.getElementById('n').textContent = Math.random(); }, 30)</script>`;
    const file = await show([[display({ 'text/html': moving })], [display({ 'text/html': box('#f00') })]], { trusted: true });
    const cut = agent.call('view_output', { notebook_path: file, cell_index: 0 });
    await until(() =>
      app.electron.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.isOffscreen());
        if (!window?.webContents.getURL().includes('output-view.html')) return false;
        window.webContents.forcefullyCrashRenderer();
        return true;
      }),
    );
    expect(textOf(await cut)).toMatch(/Error: .*ended while it drew/);
    expect(count(await see(file, { cell_index: 1 }), RED)).toBeGreaterThan(20_000);
  });

  test('a call that is cancelled while it waits or draws takes no other with it', async () => {
    const moving = `<p id="n"></p><script>setInterval(() => { document.getElementById('n').textContent = Math.random(); }, 30)</script>`;
    const file = await show([[display({ 'text/html': moving })], [display({ 'text/html': box('#f00') })]], { trusted: true });
    const stop = new AbortController();
    const cancelled = [0, 0].map((cell_index) =>
      agent.call('view_output', { notebook_path: file, cell_index }, { signal: stop.signal }).then(
        () => 'answered',
        () => 'cancelled',
      ),
    );
    const kept = see(file, { cell_index: 1 });
    await until(() =>
      app.electron.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().some(
          ({ webContents }) => webContents.isOffscreen() && webContents.getURL().includes('output-view.html'),
        ),
      ),
    );
    stop.abort();
    expect(await Promise.all(cancelled)).toEqual(['cancelled', 'cancelled']);
    expect(count(await kept, RED)).toBeGreaterThan(20_000);
  });

  test('shows a widget as the notebook’s file has it, once that is trusted', async () => {
    const view = { 'application/vnd.jupyter.widget-view+json': { model_id: 'm' }, 'text/plain': 'HTML()' };
    const model = { model_name: 'HTMLModel', model_module: '@jupyter-widgets/controls', model_module_version: '2.0.0' };
    const state = { _view_name: 'HTMLView', _view_module: '@jupyter-widgets/controls', value: box('#00f') };
    notebooks += 1;
    const file = path.join(place.folder, `view${notebooks}.ipynb`);
    await writeNotebook(file, [codeCell('show()', [display(view)])]);
    const notebook = JSON.parse(await readFile(file, 'utf8'));
    notebook.metadata.widgets = { 'application/vnd.jupyter.widget-state+json': { state: { m: { ...model, state } } } };
    await writeFile(file, JSON.stringify(notebook));
    const { document } = await must(app.page, 'doc.open', { path: file });
    expect(count(await see(file), BLUE)).toBe(0);
    await must(app.page, 'doc.trust', { docId: document.docId });
    expect(count(await see(file), BLUE)).toBeGreaterThan(20_000);
  });

  test('may ask for nothing but the outputs it shows', async () => {
    const file = await show([[{ output_type: 'stream', name: 'stdout', text: 'x\n' }]]);
    await see(file);
    const answers = await app.electron.evaluate(async ({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows().find((window) => window.webContents.isOffscreen())!;
      await webContents.loadURL('app://cellwright/output-view.html?docId=none&cellKey=none');
      const ask = (name: string, args: unknown) =>
        webContents.executeJavaScript(`cellwright.call(${JSON.stringify(name)}, ${JSON.stringify(args)})`);
      return Promise.all([
        ask('files.list', { folder: '/' }),
        ask('doc.outputs', { docId: 'x', keys: ['y'] }),
        ask('app.start', undefined),
      ]);
    });
    expect((answers as { ok: boolean }[]).map(({ ok }) => ok)).toEqual([false, false, false]);
  });

  test('does not keep the app running when the last window is closed', async () => {
    await see(await show([[{ output_type: 'stream', name: 'stdout', text: 'x\n' }]]));
    expect(await hidden()).toBe(1);
    const ended = endOf(app.child);
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) if (!window.webContents.isOffscreen()) window.close();
    });
    expect((await ended).code).toBe(0);
  });
});
