/**
 * What a window asks before it closes, as a small machine on values. The hard thing is that closing may be asked for again while the
 * question stands, and that the page may be gone, reloading or hanging: then nobody would answer, and the window itself has to ask.
 */
import type { Events } from '../../preload/contract.ts';

export interface ClosingSubject {
  docId: string;
  title: string;
  dirty: boolean;
  running: boolean;
}

/** An agent that runs code in a kernel of its own. */
export type WorkingAgent = Events['window.closing']['agents'][number];

/** What ends with a window. */
export interface Closing {
  notebooks: readonly ClosingSubject[];
  agents: readonly WorkingAgent[];
}

/** What is lost or ended with the window, or null when it may close without a question. */
export function closingQuestion({ notebooks, agents }: Closing): Events['window.closing'] | null {
  const named = (list: readonly ClosingSubject[]) => list.map(({ docId, title }) => ({ docId, title }));
  const unsaved = named(notebooks.filter((notebook) => notebook.dirty));
  const running = named(notebooks.filter((notebook) => notebook.running));
  return unsaved.length > 0 || running.length > 0 || agents.length > 0 ? { unsaved, running, agents: [...agents] } : null;
}

/** Who asks: the page where it can, the system's dialog where the page does not answer. */
export function whoAsks(page: { loaded: boolean; responsive: boolean; crashed: boolean }): 'page' | 'dialog' {
  return page.loaded && page.responsive && !page.crashed ? 'page' : 'dialog';
}

/** The same question for the system's dialog. */
export function closingSentence({ unsaved, running, agents }: Events['window.closing']): string {
  const parts: string[] = [];
  if (unsaved.length > 0) parts.push(`${names(unsaved)} ${unsaved.length === 1 ? 'has' : 'have'} unsaved changes.`);
  if (running.length > 0) parts.push(`${names(running)} ${running.length === 1 ? 'is' : 'are'} still running.`);
  if (agents.length > 0) {
    const named = names(agents.map(({ name }) => ({ title: name })));
    parts.push(agents.length === 1 ? `The agent ${named} is running Python code.` : `The agents ${named} are running Python code.`);
  }
  return parts.join(' ');
}

function names(list: readonly { title: string }[]): string {
  const titles = list.map(({ title }) => title);
  if (titles.length <= 2) return titles.join(' and ');
  return `${titles.slice(0, 2).join(', ')} and ${titles.length - 2} more`;
}
