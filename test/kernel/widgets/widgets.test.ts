/** Widgets of a real ipykernel with ipywidgets: models, what frames set, and the outputs that Output widgets take in. */
import { afterEach, describe, expect, it } from 'vitest';
import { openSession, until } from '../execution/session-fixture.ts';
import { openWidgets, textOf, type WidgetPlace } from './widget-place.ts';

let place: WidgetPlace;

async function open(): Promise<WidgetPlace> {
  place = await openWidgets();
  return place;
}

afterEach(() => place.close());

describe('a model', () => {
  it('is there with its state, follows the kernel, and its setting reaches the kernel and every other frame', async () => {
    const { run, shown, events, printed } = await open();
    const key = await run('import ipywidgets as w\ns = w.IntSlider(value=4, max=50)\ns');
    const model = await shown(key);
    expect(model).toMatchObject({ life: 'live', state: { _model_name: 'IntSliderModel', value: 4, max: 50 } });
    const { modelId } = model;
    await run('s.value = 11');
    await until(() => events.some((event) => event.kind === 'update' && event.commId === modelId && event.state.value === 11), 'the value');
    const messageId = place.set(modelId, { value: 23 });
    expect(events).toContainEqual({ kind: 'update', commId: modelId, state: { value: 23 }, by: messageId });
    await place.done(messageId);
    expect(events).toContainEqual({ kind: 'echo', commId: modelId, messageId, state: { value: 23 }, kept: { value: 23 } });
    expect(printed(await run('print(s.value)'))).toBe('23\n');
  });

  it('never marks a cell as running: only runs do', async () => {
    const { run, shown, session } = await open();
    const first = await run('import ipywidgets as w\ns = w.IntSlider()\nslow = []\ns.observe(lambda change: slow.append(1), "value")\ns');
    const { modelId } = await shown(first);
    const second = await run('1 + 1');
    const states: string[][] = [];
    session.on('runs', (keys) => states.push(keys.map((key) => session.runs().get(key)!.state)));
    for (let value = 1; value <= 5; value += 1) await place.done(place.set(modelId, { value }));
    expect(states).toEqual([]);
    expect([first, second].map((key) => session.runs().get(key)?.state)).toEqual(['done', 'done']);
  });

  it('carries bytes both ways', async () => {
    const { run, shown, events, printed } = await open();
    const key = await run('import ipywidgets as w\ni = w.Image(value=bytes([1, 2, 255]), format="png")\ni');
    const { modelId, state } = await shown(key);
    expect(state.value).toEqual(new Uint8Array([1, 2, 255]));
    await run('i.value = bytes(range(4))');
    await until(() => events.some((event) => event.kind === 'update' && event.commId === modelId), 'the bytes');
    expect((await place.widgets.model(modelId))?.state.value).toEqual(new Uint8Array([0, 1, 2, 3]));
    await place.done(
      place.send(modelId, { method: 'update', state: { value: null }, buffer_paths: [['value']] }, [new Uint8Array([9, 8])]),
    );
    expect(printed(await run('print(list(i.value))'))).toBe('[9, 8]\n');
  });

  it('that code moves ten thousand times is told of seldom, and ends where it should', async () => {
    const { run, shown, events, session } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w\ns = w.IntSlider(max=10000)\ns'));
    const moving = await run('for at in range(1, 10001): s.value = at');
    expect(session.runs().get(moving)?.state).toBe('done');
    await until(
      () => events.findLast((event) => event.kind === 'update' && event.commId === modelId && event.state.value === 10_000) !== undefined,
      'the last value',
    );
    // How much fewer depends on the machine.
    expect(events.filter((event) => event.kind === 'update').length).toBeLessThan(10_000);
    expect((await place.widgets.model(modelId))?.state.value).toBe(10_000);
  });

  it('ends with its kernel, and can still be looked at', async () => {
    const { run, shown, session, events } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w\ns = w.IntSlider(value=7)\ns'));
    await session.restart();
    await until(() => events.some((event) => event.kind === 'ended'), 'the end');
    expect(await place.widgets.model(modelId)).toMatchObject({ life: 'ended', state: { value: 7 } });
    const messageId = place.set(modelId, { value: 8 });
    await place.done(messageId);
    const again = await shown(await run('import ipywidgets as w\nw.IntSlider(value=9)'));
    expect(again).toMatchObject({ life: 'live', state: { value: 9 } });
  });

  it('outlives the kernel host, and what was said meanwhile is asked for', async () => {
    const { run, shown, host, printed } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w, threading, time\ns = w.IntSlider(max=900)\nout = w.Output()\ns'));
    await run(
      'def later():\n    for at in range(200):\n        s.value = at\n        time.sleep(0.01)\n    s.value = 900\nthreading.Thread(target=later).start()',
    );
    host().kill();
    await until(() => place.session.kernel?.host.gone === null, 'another host');
    let value: unknown = null;
    await until(() => {
      void place.widgets.model(modelId).then((model) => {
        value = model?.state.value;
      });
      return value === 900;
    }, 'the value after the gap');
    await place.done(place.set(modelId, { value: 5 }));
    expect(printed(await run('print(s.value)'))).toBe('5\n');
  });
});

describe('an Output widget', () => {
  it('takes in what is printed and shown in it, and nothing else', async () => {
    const { run, shown, printed } = await open();
    const key = await run(
      [
        'import ipywidgets as w, sys',
        'out = w.Output()',
        'print("before")',
        'with out:',
        '    print("inside")',
        '    print("warning", file=sys.stderr)',
        '    display({"text/plain": "shown"}, raw=True)',
        '    1 / 0',
        'print("after")',
        'out',
      ].join('\n'),
    );
    const { modelId } = await shown(key);
    const types = async () => (await place.outputsOf(modelId)).map((output) => output.type);
    await until(() => place.events.some((event) => event.kind === 'outputs'), 'the outputs');
    expect(await types()).toEqual(['stream', 'stream', 'display_data', 'error']);
    expect(textOf(await place.outputsOf(modelId))).toBe('inside\nwarning\n');
    expect(printed(key)).toBe('before\nafter\n');
  });

  it('tells the kernel what it has, once for many prints', async () => {
    const { run, printed, events } = await open();
    await run('import ipywidgets as w\nout = w.Output()\nwith out:\n    for at in range(1000): print(at, flush=True)\nout');
    const told = async () => printed(await run('print(len(out.outputs), "".join(o["text"] for o in out.outputs).count("\\n"))'));
    for (let said = await told(); said !== '1 1000\n'; said = await told()) expect(said).toMatch(/^[01] \d+\n$/);
    expect(events.filter((event) => event.kind === 'done').length).toBeLessThan(20);
  });

  it('is cleared, waiting or not, and set by code', async () => {
    const { run, shown } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w\nout = w.Output()\nwith out: print("one")\nout'));
    await run('with out: print("two")');
    expect(textOf(await place.outputsOf(modelId))).toBe('one\ntwo\n');
    await run('out.clear_output(wait=True)');
    expect(textOf(await place.outputsOf(modelId))).toBe('one\ntwo\n');
    await run('with out: print("three")');
    expect(textOf(await place.outputsOf(modelId))).toBe('three\n');
    await run('out.outputs = ({"output_type": "stream", "name": "stdout", "text": "set\\n"},)\nout.append_stdout("more\\n")');
    await until(
      () => place.events.some((event) => event.kind === 'outputs' && JSON.stringify(event).includes('more')),
      'the appended text',
    );
    expect(textOf(await place.outputsOf(modelId))).toBe('set\nmore\n');
    await run('out.clear_output()');
    expect(await place.outputsOf(modelId)).toEqual([]);
  });

  it('gets the prints of a button’s handler', async () => {
    const { run, shown } = await open();
    const button = await shown(
      await run(
        'import ipywidgets as w\nout = w.Output()\nb = w.Button()\n@out.capture()\ndef clicked(_): print("clicked")\nb.on_click(clicked)\nb',
      ),
    );
    const { modelId } = await shown(await run('out'));
    for (let times = 0; times < 2; times += 1) {
      await place.done(place.send(button.modelId, { method: 'custom', content: { event: 'click' } }, []));
    }
    let text = '';
    await until(() => {
      void place.outputsOf(modelId).then((outputs) => {
        text = textOf(outputs);
      });
      return text === 'clicked\nclicked\n';
    }, 'both prints');
  });

  it('keeps every line of a thread, also of one that prints after its cell is done, when the cell runs twice', async () => {
    const { run, shown, session } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w, threading, time\nout = w.Output()\nout'));
    const source = [
      'def work():',
      '    for at in range(10):',
      '        with out: print("line", at)',
      '        time.sleep(0.02)',
      'thread = threading.Thread(target=work)',
      'thread.start()',
    ].join('\n');
    const key = await run(source);
    await run('thread.join()');
    await session.runCells([key]);
    await run('thread.join()');
    let text = '';
    await until(() => {
      void place.outputsOf(modelId).then((outputs) => {
        text = textOf(outputs);
      });
      return text.split('\n').length > 20;
    }, 'twenty lines');
    const expected = Array.from({ length: 10 }, (_, at) => `line ${at}\n`).join('');
    expect(text).toBe(expected + expected);
  });

  it('that a thread holds open while other cells run loses no line: what it does not get is in a cell', async () => {
    const { run, shown, session, printed } = await open();
    const { modelId } = await shown(await run('import ipywidgets as w, threading, time\nout = w.Output()\nout'));
    const source = [
      'def work():',
      '    with out:',
      '        for at in range(10):',
      '            print("line", at)',
      '            time.sleep(0.02)',
      'thread = threading.Thread(target=work)',
      'thread.start()',
    ].join('\n');
    const keys = [await run(source), await run('thread.join()')];
    const replaced = printed(keys[0]!);
    await session.runCells([keys[0]!]);
    keys.push(await run('thread.join()'));
    const all = async () => replaced + textOf(await place.outputsOf(modelId)) + keys.map(printed).join('');
    let text = '';
    await until(() => {
      void all().then((now) => {
        text = now;
      });
      return text.split('\n').length > 20;
    }, 'twenty lines');
    const numbers = text
      .trim()
      .split('\n')
      .map((line) => Number(line.replace('line ', '')));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => Math.floor(at / 2)));
  });

  it('that nobody shows leaves its prints in the cell', async () => {
    const fixture = await openSession();
    try {
      const key = fixture.notebook.code('import ipywidgets as w\nout = w.Output()\nwith out: print("kept")');
      await fixture.session.runCells([key]);
      expect(textOf(fixture.notebook.cell(key)!.outputs)).toBe('kept\n');
    } finally {
      await fixture.close();
    }
    await open();
  });
});
