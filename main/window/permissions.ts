/**
 * What a page may do, as one default-deny table. Pure: facts go in, a verdict comes out; `secure-contents.ts` asks it at every gate that
 * Electron has. A rule that is not written here is a refusal.
 */

/** Host and scheme of the window's own page. */
export const APP_ORIGIN = 'app://cellwright';

/** Schemes that this program serves itself; none of them is ever a page in the top frame but `app:`. */
const OUTPUT_SCHEME = 'output:';

export type Verdict = { allow: true } | { allow: false; why: string };

const yes: Verdict = { allow: true };
const no = (why: string): Verdict => ({ allow: false, why });

/** Whether a message comes from our own page: known window, top frame, own origin. A null frame is one that is gone already. */
export function maySendIpc(sender: { knownWindow: boolean; topFrame: boolean; url: string | null }): Verdict {
  if (!sender.knownWindow) return no('The sender is no window of this program.');
  if (!sender.topFrame) return no('Frames inside a page, outputs above all, have no access.');
  if (sender.url === null || originOf(sender.url) !== APP_ORIGIN) return no('The sender is another page than ours.');
  return yes;
}

/**
 * Navigation of a frame, first load included. `inTrustedOutput`: the frame lies inside an output of a trusted notebook, as maps and
 * players do; the output's own frame goes nowhere.
 */
export function mayNavigate(target: { url: string; topFrame: boolean; inTrustedOutput: boolean }): Verdict {
  const url = parse(target.url);
  if (!url) return no('The address can not be read.');
  if (target.topFrame) {
    if (originOf(target.url) === APP_ORIGIN && url.pathname === '/index.html') return yes;
    return no('The window shows its own page and no other; links open in the browser.');
  }
  if (url.protocol === OUTPUT_SCHEME) return yes;
  if (target.url === 'about:blank' || target.url === 'about:srcdoc') return yes;
  if (target.inTrustedOutput && ['https:', 'http:', 'data:', 'blob:'].includes(url.protocol)) return yes;
  return no('Frames show outputs and nothing else: an address would tell its server what the notebook holds.');
}

/** Pages never open windows; the renderer asks main to open a link outside. */
export function mayOpenWindow(): Verdict {
  return no('Pages open no windows.');
}

/** Downloads: only what our own page made in memory, an image output that the person saves. Frames of outputs have another origin. */
export function mayDownload(address: string): Verdict {
  return address.startsWith(`blob:${APP_ORIGIN}/`) ? yes : no('Only an image that the person saves is downloaded.');
}

/** What `shell.openExternal` may be given: schemes that open a browser or a mail program and run nothing. */
export function mayOpenExternal(address: string): Verdict {
  const url = parse(address);
  if (!url || !['https:', 'http:', 'mailto:'].includes(url.protocol)) return no('Only web and mail addresses open outside.');
  if (url.username !== '' || url.password !== '') return no('An address with a user name in it hides where it leads.');
  return yes;
}

/** Permissions of the web platform, by Electron's names. `url` is the requesting frame's. */
export function mayUsePermission(request: { permission: string; url: string; topFrame: boolean }): Verdict {
  const ownPage = request.topFrame && originOf(request.url) === APP_ORIGIN;
  const clipboard = request.permission === 'clipboard-read' || request.permission === 'clipboard-sanitized-write';
  if (ownPage && clipboard) return yes;
  return no(clipboard ? 'Only the window itself uses the clipboard, never an output.' : 'Cellwright needs no such permission.');
}

/**
 * Requests that leave the machine or read from it. The window's page needs no network at all; an output's frame has some once its
 * notebook is trusted. This repeats what the frames' content security policy says, for what that policy does not reach.
 */
export function mayRequest(request: { url: string; frameUrl: string | null; isTrusted: (docId: string) => boolean }): Verdict {
  const url = parse(request.url);
  if (!url) return no('The address can not be read.');
  switch (url.protocol) {
    case 'data:':
    case 'blob:':
    case 'app:':
    case 'output:':
    case 'artifact:':
    case 'devtools:':
      return yes;
    case 'https:':
    case 'http:':
    case 'wss:':
    case 'ws:': {
      const frame = request.frameUrl === null ? null : parse(request.frameUrl);
      if (frame?.protocol !== OUTPUT_SCHEME) return no('Only outputs of a trusted notebook use the network.');
      return request.isTrusted(frame.hostname) ? yes : no('The notebook is not trusted, so its outputs have no network.');
    }
    default:
      return no(`Nothing here uses ${url.protocol}`);
  }
}

/** Origin also for our own schemes, for which `URL.origin` is `null` in Node. */
export function originOf(address: string): string | null {
  const url = parse(address);
  return url ? `${url.protocol}//${url.host}` : null;
}

function parse(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}
