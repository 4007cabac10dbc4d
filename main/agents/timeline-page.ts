/**
 * A session's timeline as one HTML file that needs nothing beside it: no script, no address, images inside. Everything in it was written by
 * code or by a model, so every text is escaped and the page's own policy forbids whatever would get in all the same.
 */
import type { AgentCall, AgentView, CallCard, CardCell, CardImage } from '../../preload/agent-sessions.ts';
import { type FolderOf, readKept } from './kept-artifact.ts';

/** Bytes of one image, and of all, that go into the page. */
const IMAGE_LIMIT = 2 * 1024 * 1024;
const IMAGES_LIMIT = 40 * 1024 * 1024;

/** What the page can be narrowed to. It works without a script: a checked choice hides the calls that have not its class. */
const FILTERS = [
  { name: 'edits', label: 'Edits' },
  { name: 'runs', label: 'Runs' },
  { name: 'ended', label: 'Failed, stopped or refused' },
] as const;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin-bottom: 0; }
h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; margin: 0.4rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; }
summary .state { float: right; opacity: 0.7; }
.failed > summary, .refused > summary { color: #c2410c; }
pre { overflow: auto; padding: 0.5rem; border-radius: 4px; background: color-mix(in srgb, currentColor 7%, transparent); white-space: pre-wrap; }
pre.output { border-left: 3px solid color-mix(in srgb, currentColor 30%, transparent); }
.note { opacity: 0.7; }
fieldset { border: 0; margin: 1rem 0; padding: 0; }
label { margin-right: 1rem; }
${FILTERS.map(({ name }) => `body:has(#show-${name}:checked) details:not(.${name})`).join(',\n')} { display: none; }
img { max-width: 100%; }`;

/** `folderOf` gives the folder that an artifact's address in a card means. */
export async function timelinePage(agent: AgentView, calls: readonly AgentCall[], folderOf: FolderOf): Promise<string> {
  const images = await embedded(calls, folderOf);
  const turns = [...new Set(calls.map(({ turn }) => turn))];
  const sections = turns.map(
    (turn) =>
      `<section><h2>Turn ${turn}</h2>${calls
        .filter((call) => call.turn === turn)
        .map((call) => callHtml(call, images))
        .join('\n')}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(agent.name)}: timeline</title><style>${STYLE}</style></head>
<body><h1>${escaped(agent.name)}</h1>
<p class="note">${escaped(agent.client)} · since ${time(agent.startedAt)} · ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}</p>
<fieldset>${['all', ...FILTERS.map(({ name }) => name)].map(choiceHtml).join('')}</fieldset>
${sections.join('\n')}
</body></html>
`;
}

function choiceHtml(name: string, index: number): string {
  const label = FILTERS.find((filter) => filter.name === name)?.label ?? 'All calls';
  return `<label><input type="radio" name="show" id="show-${name}"${index === 0 ? ' checked' : ''}> ${label}</label>`;
}

function classesOf({ card, state }: AgentCall): string {
  const kind = { notebook: ' edits', cells: ' runs', plain: '' }[card.kind];
  return `${state}${kind}${state === 'failed' || state === 'cancelled' || state === 'refused' ? ' ended' : ''}`;
}

function callHtml(call: AgentCall, images: ReadonlyMap<string, string>): string {
  const { card, state, startedAt, endedAt, tool } = call;
  const took = endedAt === null ? '' : ` · ${((endedAt - startedAt) / 1000).toFixed(1)} s`;
  const title = `${time(startedAt)} · <b>${escaped(tool)}</b> ${escaped(titleOf(card))}`;
  return `<details class="${classesOf(call)}"><summary>${title}<span class="state">${state}${took}</span></summary>${cardHtml(card, images)}</details>`;
}

function titleOf(card: CallCard): string {
  switch (card.kind) {
    case 'notebook':
      return `${card.action} ${card.path}${card.cellIndex === null ? '' : `, cell ${card.cellIndex}`}`;
    case 'cells':
      return card.path ?? card.cwd;
    case 'plain':
      return card.title;
  }
}

function cardHtml(card: CallCard, images: ReadonlyMap<string, string>): string {
  const summary = card.summary === '' ? '' : `<p>${escaped(card.summary)}</p>`;
  switch (card.kind) {
    case 'notebook':
      return `${summary}${block('Before', card.before)}${block('After', card.source)}`;
    case 'cells':
      return summary + card.cells.map((cell) => cellHtml(cell, images)).join('');
    case 'plain':
      return `${summary}${block('', card.detail)}`;
  }
}

function cellHtml(cell: CardCell, images: ReadonlyMap<string, string>): string {
  const facts = [cell.title, cell.status, cell.durationMs === null ? '' : `${Math.round(cell.durationMs)} ms`].filter(
    (fact) => fact !== '',
  );
  const pictures = cell.images.map((image) => pictureHtml(image, images)).join('');
  const json = cell.json.length === 0 ? '' : block('JSON', JSON.stringify(cell.json, null, 1));
  const events = cell.statusEvents.length === 0 ? '' : block('Status', cell.statusEvents.map((event) => JSON.stringify(event)).join('\n'));
  const cut = cell.truncation ? `<p class="note">Only the end of ${cell.truncation.totalLines} lines is kept here.</p>` : '';
  const text = cell.text === '' ? '' : `<pre class="output">${escaped(cell.text)}</pre>`;
  return `<p class="note">${escaped(facts.join(' · '))}</p><pre>${escaped(cell.code)}</pre>${cut}${text}${pictures}${json}${events}`;
}

function pictureHtml(image: CardImage, images: ReadonlyMap<string, string>): string {
  const data = images.get(image.url);
  return data ? `<p><img alt="" src="${data}"></p>` : `<p class="note">Image (${escaped(image.mime)}) left out.</p>`;
}

function block(title: string, text: string | null): string {
  if (text === null) return '';
  return `${title === '' ? '' : `<p class="note">${title}</p>`}<pre>${escaped(text)}</pre>`;
}

/** Data addresses of the images that are kept. */
async function embedded(calls: readonly AgentCall[], folderOf: FolderOf): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const all = calls.flatMap(({ card }) => (card.kind === 'cells' ? card.cells.flatMap(({ images }) => images) : []));
  let room = IMAGES_LIMIT;
  for (const { url, mime } of all) {
    if (found.has(url) || !/^image\/(png|jpeg|gif|webp)$/.test(mime)) continue;
    const bytes = await readKept(url, folderOf, Math.min(IMAGE_LIMIT, room));
    room -= bytes?.length ?? 0;
    if (bytes) found.set(url, `data:${mime};base64,${bytes.toString('base64')}`);
  }
  return found;
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
