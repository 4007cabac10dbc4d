/** The walls around the page and around outputs, tried from inside the real window. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WindowOutput } from '../../../preload/contract.ts';
import {
  call,
  codeCell,
  makePlace,
  must,
  type RunningApp,
  ready,
  removePlace,
  startApp,
  stopApp,
  type TestPlace,
  until,
  writeNotebook,
} from './start-app.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';

let place: TestPlace;
let app: RunningApp;
let server: Server;
let base: string;
/** Paths that reached the local web server. */
let asked: string[] = [];

/** What an output tries, and reports to whoever holds it. */
function attempts(origin: string): string {
  return `<h1>output</h1><img id="image" src="${origin}/image.png" onerror="parent.postMessage({ handler: 1 }, '*')">
<link rel="stylesheet" href="${origin}/style.css"><link rel="preconnect" href="${origin}"><style>@import "${origin}/import.css";</style>
<iframe src="${origin}/nested"></iframe><iframe src="${origin}/redirect"></iframe>
<a id="link" href="https://example.com/page">link</a>
<script>
const tell = (what, got) => parent.postMessage({ what, got: String(got) }, '*');
tell('script', 'ran');
tell('bridge', typeof window.cellwright);
tell('origin', self.origin);
try { tell('parent', parent.document.title) } catch (error) { tell('parent', error.name) }
try { top.location = '${origin}/top'; tell('top', 'moved') } catch (error) { tell('top', error.name) }
try { tell('opened', window.open('${origin}/opened')) } catch (error) { tell('opened', error.name) }
const fetches = ['${origin}/fetch', 'app://cellwright/index.html', location.href.replace(/c0.*/, 'c1/0.0/text%2Fplain'), 'file:///etc/passwd'];
for (const url of fetches) fetch(url).then((answer) => answer.text()).then(() => tell(url, 'got'), () => tell(url, 'refused'));
</script>`;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*');
    if (request.url === '/redirect') response.writeHead(302, { location: 'app://cellwright/index.html' });
    response.end('x');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  place = await makePlace();
  await writeNotebook(path.join(place.folder, 'a.ipynb'), [
    codeCell('1', [
      { output_type: 'display_data', metadata: {}, data: { 'text/html': attempts(base), 'image/png': PNG, 'text/plain': ['pl', 'ain'] } },
    ]),
    codeCell('2', [
      {
        output_type: 'display_data',
        metadata: {},
        data: { 'text/plain': 'x'.repeat(400_000), 'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>' },
      },
    ]),
    codeCell('3', [
      {
        output_type: 'display_data',
        metadata: {},
        data: { 'text/html': { $artifact: '0', file: '/etc/passwd', bytes: 9, encoding: 'utf8' } },
      },
    ]),
  ]);
  app = await startApp(place);
});

afterAll(async () => {
  await stopApp(app);
  await removePlace(place);
  server.close();
});

async function openOutputs(page: Page): Promise<{ docId: string; outputs: WindowOutput[][] }> {
  const snapshot = await must(page, 'doc.open', { path: path.join(place.folder, 'a.ipynb') });
  const { docId } = snapshot.document;
  const keys = Object.keys(snapshot.outputCounts);
  const outputs = await must(page, 'doc.outputs', { docId, keys });
  return { docId, outputs: keys.map((key) => outputs[key] ?? []) };
}

function urlOf(output: WindowOutput | undefined, mime: string): string {
  const payload = output && 'data' in output ? output.data[mime] : undefined;
  if (payload?.kind !== 'url') throw new Error(`There is no address for ${mime}.`);
  return payload.url;
}

/** Shows an address in a sandboxed frame beside the app and gives the messages it posts in the next moment. */
async function show(page: Page, url: string, id: string): Promise<{ frame: FrameLocator; messages: Record<string, unknown>[] }> {
  await page.evaluate(
    ([address, name]) => {
      const messages: unknown[] = [];
      Object.assign(window, { [`messages_${name}`]: messages });
      const frame = document.createElement('iframe');
      frame.id = name!;
      frame.sandbox.add('allow-scripts');
      frame.src = address!;
      addEventListener('message', (event) => event.source === frame.contentWindow && messages.push(event.data));
      document.body.append(frame);
    },
    [url, id],
  );
  await page.waitForFunction(
    (name) =>
      (window as unknown as Record<string, { cellwright?: string }[]>)[`messages_${name}`]?.some(
        (message) => message.cellwright === 'size',
      ),
    id,
  );
  await page.waitForTimeout(1_000);
  return { frame: page.frameLocator(`#${id}`), messages: await messagesOf(page, id) };
}

function messagesOf(page: Page, id: string): Promise<Record<string, unknown>[]> {
  return page.evaluate((name) => (window as unknown as Record<string, Record<string, unknown>[]>)[`messages_${name}`] ?? [], id);
}

describe('the page', () => {
  it('has the bridge and nothing of Node or Electron', async () => {
    const found = await app.page.evaluate(() => ({
      url: location.origin,
      bridge: Object.keys(window.cellwright).sort(),
      globals: ['require', 'process', 'module', 'Buffer', 'global', 'electron'].filter((name) => name in window),
    }));
    expect(found).toEqual({ url: 'app://cellwright', bridge: ['call', 'on', 'pathOfFile', 'post'], globals: [] });
  });

  it('starts without a violation of its policy and without an uncaught error', async () => {
    await app.page.reload();
    await ready(app.page);
    expect(app.problems).toEqual([]);
  });

  it('gets a failure and no exception for every wrong call', async () => {
    for (const [name, args] of [
      ['fs.read', { path: '/etc/passwd' }],
      ['__proto__', undefined],
      ['doc.open', { path: 7 }],
      ['doc.open', undefined],
      ['app.openExternal', { url: 'file:///etc/passwd' }],
    ] as const) {
      expect(await call(app.page, name as never, args as never), name).toMatchObject({ ok: false, error: { code: 'bad-call' } });
    }
    expect(await call(app.page, 'doc.save', { docId: 'nothing' })).toMatchObject({ ok: false, error: { code: 'not-open' } });
    expect(await call(app.page, 'doc.open', { path: '/nowhere/a.ipynb' })).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  it('reaches no server, evaluates no text and opens no window', async () => {
    asked = [];
    const found = await app.page.evaluate(async (origin) => {
      const tried = async (work: () => unknown) => {
        try {
          return String(await work());
        } catch (error) {
          return (error as Error).name;
        }
      };
      return {
        fetch: await tried(() => fetch(`${origin}/page`)),
        // In a timer, because the debugger that drives this test lifts the ban for its own evaluation.
        eval: await new Promise<string>((resolve) => setTimeout(() => void tried(() => new Function('return 1')()).then(resolve))),
        open: await tried(() => window.open(`${origin}/open`)),
      };
    }, base);
    expect(found).toEqual({ fetch: 'TypeError', eval: 'EvalError', open: 'null' });
    expect(app.electron.windows()).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('goes nowhere else', async () => {
    for (const address of [`${base}/gone`, 'file:///etc/passwd', 'data:text/html,x', 'output://a/b/0.0/text%2Fhtml']) {
      await app.page.evaluate((url) => location.assign(url), address);
      await app.page.waitForTimeout(150);
      expect(app.page.url()).toMatch(/^app:\/\/cellwright\/index\.html/);
    }
    expect(asked).toEqual([]);
    // The driver waits for the navigations that were refused until the page loads again.
    await app.page.reload();
    await ready(app.page);
  });

  it('is refused every permission but the clipboard', async () => {
    const states = await app.page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-write'];
      return Promise.all(
        names.map(async (name) => `${name} ${(await navigator.permissions.query({ name: name as PermissionName })).state}`),
      );
    });
    expect(states).toEqual([
      'geolocation denied',
      'notifications denied',
      'camera denied',
      'microphone denied',
      'midi denied',
      'clipboard-write granted',
    ]);
  });

  it('is the only sender that main answers', async () => {
    const answers = await app.electron.evaluate(async ({ BrowserWindow }, own) => {
      const preload = BrowserWindow.getAllWindows()[0]!.webContents.session; // the same session, and so the same preload rights
      const ask = async (url: string) => {
        const stranger = new BrowserWindow({
          show: false,
          webPreferences: { session: preload, preload: own, sandbox: true, contextIsolation: true },
        });
        await stranger.loadURL(url);
        const answer = await stranger.webContents.executeJavaScript(
          'window.cellwright.call("app.start").then((r) => r.ok ? "answered" : r.error.code)',
        );
        stranger.destroy();
        return answer;
      };
      return [await ask('data:text/html,x'), await ask('app://cellwright/index.html')];
    }, path.resolve('dist/preload/preload.cjs'));
    expect(answers).toEqual(['forbidden', 'forbidden']);
  });
});

describe('an output', () => {
  it('that nobody trusts shows, and runs and reaches nothing', async () => {
    const { outputs } = await openOutputs(app.page);
    asked = [];
    const { frame, messages } = await show(app.page, `${urlOf(outputs[0]?.[0], 'text/html')}?theme=dark`, 'untrusted');
    expect(await frame.locator('h1').textContent()).toBe('output');
    expect(messages.filter((message) => !('cellwright' in message))).toEqual([]);
    expect(messages).toContainEqual({ cellwright: 'held' });
    expect(asked).toEqual([]);
  });

  it('tells its height and hands its links over', async () => {
    const { outputs } = await openOutputs(app.page);
    const { frame, messages } = await show(app.page, `${urlOf(outputs[0]?.[0], 'text/html')}?theme=light`, 'links');
    expect(messages.find((message) => message.cellwright === 'size')?.height).toBeGreaterThan(20);
    await frame.locator('#link').evaluate((link) => (link as HTMLElement).click());
    await app.page.waitForFunction(() =>
      (window as unknown as { messages_links: { cellwright?: string }[] }).messages_links.some((message) => message.cellwright === 'open'),
    );
    expect(await messagesOf(app.page, 'links')).toContainEqual({ cellwright: 'open', url: 'https://example.com/page' });
    await app.page.evaluate(() =>
      (document.getElementById('links') as HTMLIFrameElement).contentWindow?.postMessage({ cellwright: 'theme', dark: true }, '*'),
    );
    await frame.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
  });

  it('comes as an image, as text and never as a page of our own', async () => {
    const { outputs } = await openOutputs(app.page);
    const found = await app.page.evaluate(
      async ([image, text, svg]) => {
        const element = new Image();
        element.src = image!;
        await element.decode();
        return {
          width: element.naturalWidth,
          text: (await (await fetch(text!)).text()).length,
          svg: (await fetch(svg!)).headers.get('content-type'),
        };
      },
      [urlOf(outputs[0]?.[0], 'image/png'), urlOf(outputs[1]?.[0], 'text/plain'), urlOf(outputs[1]?.[0], 'image/svg+xml')],
    );
    expect(found).toEqual({ width: 2, text: 400_000, svg: 'image/svg+xml' });
  });

  it('never reads a file that the notebook names itself', async () => {
    const { outputs } = await openOutputs(app.page);
    const output = outputs[2]?.[0];
    const url = urlOf(output, 'text/html');
    const texts = await app.page.evaluate(
      (address) => Promise.all([address, `${address}?theme=dark`].map(async (each) => (await fetch(each)).text())),
      url,
    );
    for (const text of texts) expect(text).not.toContain('root:');
  });

  it('is not there under another document, place or revision', async () => {
    const { docId, outputs } = await openOutputs(app.page);
    const url = urlOf(outputs[0]?.[0], 'image/png');
    const statuses = await app.page.evaluate(
      (addresses) => Promise.all(addresses.map(async (address) => (await fetch(address)).status)),
      [
        url,
        url.replace(docId, 'other'),
        url.replace('/0.0/', '/7.0/'),
        url.replace('/0.0/', '/0.5/'),
        url.replace('image%2Fpng', 'text%2Fother'),
        `artifact://${docId}/0`,
      ],
    );
    expect(statuses).toEqual([200, 404, 404, 410, 404, 404]);
  });

  it('of a trusted notebook runs and has the web, but neither the window nor files', async () => {
    const { docId, outputs } = await openOutputs(app.page);
    expect(await must(app.page, 'doc.trust', { docId })).toMatchObject({ trusted: true });
    asked = [];
    await show(app.page, `${urlOf(outputs[0]?.[0], 'text/html')}?theme=dark`, 'trusted');
    const reported = async () =>
      Object.fromEntries(
        (await messagesOf(app.page, 'trusted')).filter((message) => 'what' in message).map(({ what, got }) => [what, got]),
      );
    await until(async () => Object.keys(await reported()).length === 10 && new Set(asked).size >= 6);
    const told = await reported();
    expect(told).toMatchObject({
      script: 'ran',
      bridge: 'undefined',
      origin: 'null',
      parent: 'SecurityError',
      top: 'SecurityError',
      opened: 'null',
      [`${base}/fetch`]: 'got',
      'app://cellwright/index.html': 'refused',
      'file:///etc/passwd': 'refused',
    });
    expect(Object.entries(told).filter(([what, got]) => String(what).startsWith('output:') && got !== 'refused')).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['/image.png', '/style.css', '/import.css', '/fetch', '/nested', '/redirect']));
    expect(app.page.url()).toMatch(/^app:/);
    // The window's own page is one frame, also where a server sends a frame to it.
    expect(app.page.frames().filter((frame) => frame.url().startsWith('app:'))).toHaveLength(1);
  });
});
