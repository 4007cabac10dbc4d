/** Widgets of a kernel that a Jupyter server runs: the same in all things, bytes and captured outputs too. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, serverPython, startServer } from '../../support/jupyter-servers.ts';
import { until } from '../execution/session-fixture.ts';
import { SET_UP_LIMIT_MS } from '../gateway/transports.ts';
import { pythonSpec } from '../kernels/kernel-fixture.ts';
import { openWidgets, textOf, type WidgetPlace } from './widget-place.ts';

let server: RunningServer;
let place: WidgetPlace;

beforeAll(async () => {
  await serverPython();
  server = await startServer({ kind: 'jupyter-server' });
  place = await openWidgets({ spec: { ...pythonSpec(), gateway: { url: server.url, token: server.token } } });
}, SET_UP_LIMIT_MS);

afterAll(async () => {
  await place?.close();
  await server?.stop();
});

it('are live over a server', async () => {
  const { run, shown, printed, outputsOf, done, set, send, events } = place;
  const slider = await shown(await run('import ipywidgets as w\ns = w.IntSlider(value=4)\ns'));
  await done(set(slider.modelId, { value: 23 }));
  expect(printed(await run('print(s.value)'))).toBe('23\n');
  const image = await shown(await run('i = w.Image(value=bytes([1, 2, 255]))\ni'));
  expect(image.state.value).toEqual(new Uint8Array([1, 2, 255]));
  await done(send(image.modelId, { method: 'update', state: { value: null }, buffer_paths: [['value']] }, [new Uint8Array([9, 8])]));
  expect(printed(await run('print(list(i.value))'))).toBe('[9, 8]\n');
  const key = await run('out = w.Output()\nwith out: print("inside")\nprint("beside")\nout');
  await until(() => events.some(({ kind }) => kind === 'outputs'), 'the outputs');
  expect([textOf(await outputsOf((await shown(key)).modelId)), printed(key)]).toEqual(['inside\n', 'beside\n']);
});
