/** What is said of a file that another program wrote without what it had. Pure. */
import type { KeptFromFile } from '../../preload/outside-changes.ts';

export function keptWords(title: string, { outputs, settings, attachments, notebook }: KeptFromFile): string {
  const lost = [
    outputs > 0 && `the outputs of ${cells(outputs)}`,
    settings > 0 && `the metadata of ${cells(settings)}`,
    attachments > 0 && `the attachments of ${cells(attachments)}`,
    notebook && 'its own metadata',
  ].filter((part) => part !== false);
  return `Another program wrote ${title} without ${listed(lost)}. It is kept here, unsaved.`;
}

export function keepLabel({ outputs, settings, notebook }: KeptFromFile): string {
  const hasMetadata = settings > 0 || notebook;
  if (outputs === 0) return hasMetadata ? 'Keep metadata' : 'Keep attachments';
  return hasMetadata ? 'Keep outputs and metadata' : 'Keep outputs';
}

function cells(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
