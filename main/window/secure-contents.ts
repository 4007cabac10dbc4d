/**
 * Asks `permissions.ts` at every gate that Electron has: once for the session, and for all web contents, whoever makes them. Nothing here
 * decides; a gate that is missing here is open.
 */
import { app, type Session, type WebContents, type WebFrameMain } from 'electron';
import type { Log } from '../log/log.ts';
import { outputAround, parentOf } from './frame-facts.ts';
import { mayDownload, mayNavigate, mayOpenWindow, mayRequest, mayUsePermission, type Verdict } from './permissions.ts';

/** Requests of these kinds are asked about; our own schemes are answered by this program and need no question. */
const NETWORK = ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'ftp://*/*', 'file://*/*'];

export interface SecurityOptions {
  /** Whether the notebook behind an output's host is trusted. */
  isTrusted: (docId: string) => boolean;
  log: Log;
}

export function secureSession(session: Session, { isTrusted, log }: SecurityOptions): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(allowed(mayUsePermission({ permission, url: details.requestingUrl, topFrame: details.isMainFrame }), permission, log));
  });
  session.setPermissionCheckHandler((_contents, permission, origin, details) => {
    return mayUsePermission({ permission, url: details.requestingUrl ?? origin, topFrame: details.isMainFrame }).allow;
  });
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  session.on('will-download', (event, item) => {
    // What is allowed goes on to the system's dialog, which asks for the place.
    if (!allowed(mayDownload(item.getURL()), 'download', log)) event.preventDefault();
  });
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest({ urls: NETWORK }, (details, answer) => {
    const frameUrl = outputAround(details.frame ?? null);
    answer({ cancel: !allowed(mayRequest({ url: details.url, frameUrl, isTrusted }), 'request', log) });
  });
}

/** For every web contents from now on, also those that some part of Electron makes by itself. */
export function secureAllContents(options: SecurityOptions): void {
  app.on('web-contents-created', (_event, contents) => secureContents(contents, options));
}

function secureContents(contents: WebContents, { isTrusted, log }: SecurityOptions): void {
  contents.setWindowOpenHandler(() => ({ action: allowed(mayOpenWindow(), 'window.open', log) ? 'allow' : 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  const check = (event: { url: string; isMainFrame: boolean; frame: WebFrameMain | null; preventDefault: () => void }) => {
    const around = outputAround(parentOf(event.frame));
    const inTrustedOutput = around !== null && isTrusted(new URL(around).hostname);
    const verdict = mayNavigate({ url: event.url, topFrame: event.isMainFrame, inTrustedOutput });
    if (!allowed(verdict, 'navigation', log)) event.preventDefault();
  };
  contents.on('will-frame-navigate', check);
  contents.on('will-redirect', check);
}

/** Notes a refusal. Never the address: its query may hold what the notebook knows. */
function allowed(verdict: Verdict, what: string, log: Log): boolean {
  if (!verdict.allow) log.warn('window.refused', { what, why: verdict.why });
  return verdict.allow;
}
