/**
 * Runs for the harness: what a cell does is read off its source, so that every state of a cell can be looked at without a kernel.
 */
import type { WindowOutput } from '../../../preload/contract.ts';
import type { FakeDocument, FakeMain } from './fake-main.ts';
import { sourceIn } from './fake-main.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const PLOT = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="560" height="280"><rect width="560" height="280" fill="#fff"/><path d="M20 240 C 120 40, 200 260, 300 120 S 480 60, 540 30" fill="none" stroke="#4f4bd8" stroke-width="3"/><path d="M20 20V260H550" stroke="#999" fill="none"/></svg>',
)}`;

export function attachKernel(main: FakeMain): void {
  let queue: { document: FakeDocument; key: string }[] = [];
  let busy = false;
  let interrupted = false;
  let answer: ((value: string) => void) | null = null;

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    for (let next = queue.shift(); next; next = queue.shift()) await run(next.document, next.key);
    busy = false;
  }

  async function run(document: FakeDocument, key: string): Promise<void> {
    if (document.kernel.state === 'none') {
      main.setKernel(document, { state: 'starting' });
      await pause(500);
    }
    const startedAt = Date.now();
    interrupted = false;
    document.count += 1;
    main.setKernel(document, { state: 'busy', queued: queue.length });
    main.setRun(document, key, { state: 'running', startedAt, executionCount: document.count, durationMs: null, stale: null });
    main.change(document, key, [{ op: 'clear' }]);
    const failed = await perform(document, key, sourceIn(document, key));
    main.setRun(document, key, { state: failed ? 'failed' : 'done', durationMs: Date.now() - startedAt, input: null });
    if (failed) for (const { key: left } of queue.splice(0)) main.setRun(document, left, { state: 'cancelled' });
    main.setKernel(document, { state: 'idle', queued: 0 });
    main.setState(document, { dirty: true });
  }

  async function perform(document: FakeDocument, key: string, source: string): Promise<boolean> {
    const append = (output: WindowOutput) => main.change(document, key, [{ op: 'append', output }]);
    const seconds = Number(/sleep\((\d+)\)/.exec(source)?.[1] ?? 0);
    for (let tick = 0; tick < seconds * 5 && !interrupted; tick += 1) {
      await pause(200);
      const insert = `step ${tick + 1}\n`;
      const present = document.outputs.get(key)?.[0];
      if (present?.type === 'stream') main.change(document, key, [{ op: 'text', index: 0, at: present.text.length, remove: 0, insert }]);
      else append({ type: 'stream', name: 'stdout', text: insert });
    }
    if (source.includes('input(')) {
      main.setRun(document, key, { input: { prompt: 'Name: ', password: source.includes('getpass') } });
      const value = await new Promise<string>((resolve) => {
        answer = resolve;
      });
      main.setRun(document, key, { input: null });
      append({ type: 'stream', name: 'stdout', text: `Hello ${value}\n` });
    }
    if (source.includes('print('))
      append({ type: 'stream', name: 'stdout', text: `${/print\(["'](.*?)["']/.exec(source)?.[1] ?? 'printed'}\n` });
    if (source.includes('plot'))
      append({
        type: 'display_data',
        data: { 'image/svg+xml': { kind: 'url', url: PLOT, bytes: 900 } },
        metadata: {},
        executionCount: null,
      });
    if (source.includes('raise') || interrupted) append(failure(interrupted));
    return source.includes('raise') || interrupted;
  }

  main.handlers.set('run.cells', ({ docId, keys }: { docId: string; keys: string[] }) => {
    const document = main.document(docId);
    for (const key of keys) {
      queue.push({ document, key });
      main.setRun(document, key, { state: 'queued', stale: null });
    }
    void work();
  });
  main.handlers.set('run.interrupt', ({ docId }: { docId: string }) => {
    interrupted = true;
    for (const { key } of queue) main.setRun(main.document(docId), key, { state: 'cancelled' });
    queue = [];
  });
  main.handlers.set('run.input', ({ value }: { value: string }) => answer?.(value));
  main.handlers.set('kernel.restart', async ({ docId }: { docId: string }) => {
    const document = main.document(docId);
    main.setKernel(document, { state: 'restarting', message: null, detail: null });
    await pause(600);
    document.count = 0;
    main.setKernel(document, { state: 'idle', generation: document.kernel.generation + 1 });
  });
  main.handlers.set('kernel.shutdown', ({ docId }: { docId: string }) => main.setKernel(main.document(docId), { state: 'none' }));
  main.handlers.set('kernel.choices', () => CHOICES);
  main.handlers.set('kernel.complete', ({ code, cursor }: { code: string; cursor: number }) => {
    const start = cursor - (/\w*$/.exec(code.slice(0, cursor))?.[0].length ?? 0);
    return { matches: ['describe', 'dropna', 'dtypes', 'head', 'groupby'].map((text) => ({ text, type: 'function' })), start, end: cursor };
  });
  main.handlers.set('kernel.inspect', () => ({
    text: '\u001b[0;31mSignature:\u001b[0m df.head(n: int = 5)\n\u001b[0;31mDocstring:\u001b[0m\nReturn the first `n` rows.',
  }));
}

const CHOICES = [
  {
    name: 'venv',
    displayName: 'Python 3.12 (.venv)',
    language: 'python',
    path: '/home/ada/project/.venv/bin/python',
    source: 'project',
    ready: true,
    note: null,
  },
  {
    name: 'python3',
    displayName: 'Python 3 (ipykernel)',
    language: 'python',
    path: '/usr/bin/python3',
    source: 'kernelspec',
    ready: true,
    note: null,
  },
  { name: 'ir', displayName: 'R 4.3', language: 'R', path: '/usr/lib/R/bin/R', source: 'kernelspec', ready: true, note: null },
  {
    name: 'pyenv',
    displayName: 'Python 3.13',
    language: 'python',
    path: '/home/ada/.pyenv/versions/3.13.1/bin/python',
    source: 'interpreter',
    ready: false,
    note: 'needs ipykernel',
  },
];

function failure(interrupted: boolean): WindowOutput {
  const name = interrupted ? 'KeyboardInterrupt' : 'ValueError';
  return {
    type: 'error',
    ename: name,
    evalue: interrupted ? '' : 'the sample needs at least two rows',
    traceback: [
      '\u001b[31m---------------------------------------------------------------------------\u001b[39m',
      `\u001b[31m${name}\u001b[39m                                Traceback (most recent call last)`,
      '\u001b[36mCell\u001b[39m\u001b[36m \u001b[39m\u001b[32mIn[4]\u001b[39m\u001b[32m, line 2\u001b[39m\n\u001b[32m      1\u001b[39m \u001b[38;5;28;01mdef\u001b[39;00m fit(df):\n\u001b[32m----> \u001b[39m\u001b[32m2\u001b[39m     \u001b[38;5;28;01mraise\u001b[39;00m ValueError(\u001b[33m"the sample needs at least two rows"\u001b[39m)',
      `\u001b[31m${name}\u001b[39m: the sample needs at least two rows`,
    ],
  };
}
