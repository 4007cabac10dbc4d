/** What the test page's server has under its addresses: contents for frames, and a long log. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const table = readFileSync(path.join(import.meta.dirname, 'fixtures/table.html'), 'utf8');

const FRAMES: Record<string, { mime: string; content: string }> = {
  table: { mime: 'text/html', content: table },
  script: {
    mime: 'text/html',
    content:
      '<p id="said">nothing ran</p><script>document.getElementById("said").textContent = "script ran"; document.body.dataset.ran = "yes";</script>',
  },
  tall: {
    mime: 'text/html',
    content: `<h3>Two hundred lines</h3>${Array.from({ length: 200 }, (_, line) => `<p>line ${line}</p>`).join('')}`,
  },
  links: {
    mime: 'text/html',
    content: '<p><a id="web" href="https://example.org/page">a page</a> <a id="bad" href="javascript:alert(1)">bad</a></p>',
  },
  grows: {
    mime: 'text/html',
    content:
      '<div id="box" style="height: 50px">grows</div><script>setTimeout(() => { document.getElementById("box").style.height = "300px"; }, 200);</script>',
  },
  pushy: {
    mime: 'text/html',
    content:
      '<script>setTimeout(() => { parent.postMessage({ cellwright: "open", url: "https://example.org/secret" }, "*"); parent.postMessage({ cellwright: "size", height: 123 }, "*"); }, 7000);</script>',
  },
  javascript: { mime: 'application/javascript', content: 'element.textContent = "drawn by a script";' },
};

export function framed(name: string): { mime: string; content: string } {
  return FRAMES[name] ?? { mime: 'text/html', content: '<p>no such page</p>' };
}

const LOG_LINES = 400_000;
let log: Buffer | null = null;

/** A log of some 24 MB, with colours and letters of several bytes. */
export function artifacts(_name: string): Buffer {
  log ??= Buffer.from(
    Array.from(
      { length: LOG_LINES },
      (_, line) => `\x1b[32m${String(line).padStart(7, '0')}\x1b[0m größer: step of the long run, loss 0.4\n`,
    ).join(''),
  );
  return log;
}
