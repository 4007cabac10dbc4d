/** What outputs may ask of the world around them: open a link outside, copy text, show an artifact. Everything else stays in the page. */
import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';
import { windowBridge } from '../shell/bridge.ts';
import { safeHref } from './ansi.ts';

export interface OutputActions {
  /** The notebook that the outputs belong to. */
  docId: string;
  /** The person asked to see everything of all outputs of the cell. */
  showsAll: boolean;
  openLink(href: string): void;
  copyText(text: string): void;
  openArtifact(artifactId: string): void;
}

const Context = createContext<OutputActions | null>(null);

export function OutputActionsProvider(props: { actions: OutputActions; children: ReactNode }): ReactNode {
  return <Context value={props.actions}>{props.children}</Context>;
}

/** Throws when used outside an output area, which is a mistake in the program. */
export function useOutputActions(): OutputActions {
  const actions = useContext(Context);
  if (!actions) throw new Error('This output is not inside an output area.');
  return actions;
}

/** Main checks the address once more; what is not a web or mail address is dropped here already. */
export function openOutside(href: string): void {
  const url = safeHref(href);
  if (url) void windowBridge().call('app.openExternal', { url });
}

export function copyText(text: string): void {
  void windowBridge().call('app.copyText', { text });
}

export function clearOutputs(docId: string, cellKey: string): void {
  void windowBridge().call('doc.clearOutputs', { docId, keys: [cellKey] });
}
