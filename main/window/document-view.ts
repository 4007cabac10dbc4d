/** A document and its kernel in the words of the contract. */
import type { DocumentState, KernelView } from '../../preload/contract.ts';
import type { NotebookDocument } from '../documents/notebook-document.ts';
import type { RememberedKernel } from '../settings/notebook-memory.ts';

export function documentState(document: NotebookDocument): DocumentState {
  const { id, path, title, dirty, saving, readOnly, trusted, notices, outside } = document;
  const { conflictCount: conflicts, kept, trouble } = outside;
  return { docId: id, path, title, dirty, saving, readOnly, trusted, notices: [...notices], conflicts, kept, trouble };
}

/** What the notebook's metadata says about its kernel (nbformat, "kernelspec"). Other people's files may hold anything there. */
export function storedKernelspec(metadata: Record<string, unknown>): { name: string; displayName: string; language: string } | null {
  const spec = metadata.kernelspec;
  if (typeof spec !== 'object' || spec === null) return null;
  const { name, display_name: displayName, language } = spec as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return null;
  return {
    name,
    displayName: typeof displayName === 'string' && displayName !== '' ? displayName : name,
    language: typeof language === 'string' ? language : '',
  };
}

/** Before a kernel was started its view has no name of its own: the one that was chosen or the notebook's kernelspec lends one. */
export function kernelView(view: KernelView, metadata: Record<string, unknown>, chosen: RememberedKernel | null = null): KernelView {
  if (view.name !== '') return view;
  if (chosen) return { ...view, name: chosen.displayName };
  const stored = storedKernelspec(metadata);
  if (!stored) return view;
  return {
    ...view,
    name: stored.displayName,
    kernelspecName: view.kernelspecName ?? stored.name,
    language: view.language || stored.language,
  };
}
