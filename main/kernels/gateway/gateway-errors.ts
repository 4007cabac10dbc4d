/**
 * What can go wrong between us and a Jupyter server, as one typed error. Pure. The hard thing is to tell a wrong token, a wrong address and a
 * wrong program apart from the little that comes back: a status, a code of the network, a page.
 */

export type GatewayFault =
  | 'bad-address'
  | 'unreachable'
  | 'timeout'
  | 'certificate'
  | 'unauthorized'
  | 'not-jupyter'
  | 'not-found'
  | 'refused'
  | 'server-error';

/** `hint` says what to do; `message` ends in it. `code` is the fault, so that it survives the way from the kernel host. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly fault: GatewayFault;
  readonly code: GatewayFault;
  /** What happened, without the hint. */
  readonly what: string;
  readonly hint: string;
  /** HTTP status, where there was an answer. */
  readonly status: number | null;
  constructor(fault: GatewayFault, what: string, hint: string, options: ErrorOptions & { status?: number } = {}) {
    super(hint === '' ? what : `${what} ${hint}`, options);
    this.what = what;
    this.fault = fault;
    this.code = fault;
    this.hint = hint;
    this.status = options.status ?? null;
  }
}

const ADDRESS_HINT = 'Start the Jupyter server, or check the address and the port.';
const FILES = [
  'unreachable',
  'can’t be connected to: there are too many open files here.',
  'Shut down kernels that are not needed.',
] as const;
const CERTIFICATE_HINT = 'Give the server’s certificate (PEM) in the settings of the server, or allow any certificate for it.';

/** By code: what happened, as the end of “The server at … ”, and what to do. */
const NETWORK: Readonly<Record<string, readonly [fault: GatewayFault, what: string, hint: string]>> = {
  ECONNREFUSED: ['unreachable', 'does not answer: nothing listens there.', ADDRESS_HINT],
  ENOTFOUND: ['unreachable', 'can’t be found: there is no such name.', 'Check the address and the network.'],
  EAI_AGAIN: ['unreachable', 'can’t be found: names can’t be looked up now.', 'Check the network and try again.'],
  EHOSTUNREACH: ['unreachable', 'can’t be reached: there is no way to that machine.', 'Check the address and the network.'],
  ENETUNREACH: ['unreachable', 'can’t be reached: there is no network.', 'Check the network and try again.'],
  ETIMEDOUT: ['timeout', 'did not answer.', 'Check the address and the network.'],
  EMFILE: FILES,
  ENFILE: FILES,
  EPROTO: ['unreachable', 'does not speak https.', 'Perhaps its address begins with http://.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['unreachable', 'does not speak https.', 'Perhaps its address begins with http://.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['unreachable', 'does not speak https.', 'Perhaps its address begins with http://.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate', 'has a certificate that it signed itself.', CERTIFICATE_HINT],
  SELF_SIGNED_CERT_IN_CHAIN: ['certificate', 'has a certificate of an authority that this machine does not know.', CERTIFICATE_HINT],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['certificate', 'has a certificate that can’t be verified.', CERTIFICATE_HINT],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'certificate',
    'has a certificate of an authority that this machine does not know.',
    CERTIFICATE_HINT,
  ],
  CERT_HAS_EXPIRED: ['certificate', 'has a certificate that has expired.', 'Renew it on the server.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate', 'has a certificate for another name.', 'Use the name that the certificate is for.'],
};

/** For a request that got no answer. `server` is the address as it is shown. */
export function networkError(server: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const code = codeOf(cause);
  const known = NETWORK[code];
  if (known) return new GatewayError(known[0], `The server at ${server} ${known[1]}`, known[2], { cause });
  if (code.startsWith('HPE_')) return notJupyter(server, 'what answers there does not speak http', cause);
  const secure = server.startsWith('http:') ? ' Perhaps the address begins with https://.' : '';
  const reason = code === '' ? '' : ` (${code})`;
  return new GatewayError('unreachable', `The server at ${server} cut the connection${reason}.`, `Try again.${secure}`, { cause });
}

export function timeoutError(server: string, timeoutMs: number, cause?: unknown): GatewayError {
  const seconds = Math.max(1, Math.round(timeoutMs / 1000));
  const message = `The server at ${server} did not answer within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new GatewayError('timeout', message, 'It may be overloaded; try again, or check the network.', { cause });
}

export function notJupyter(server: string, why: string, cause?: unknown, status?: number): GatewayError {
  const hint = 'Check the address; behind a proxy or a hub it needs the path too, as in https://host/user/name/.';
  return new GatewayError('not-jupyter', `There is no Jupyter server at ${server}: ${why}.`, hint, { cause, status });
}

export interface RefusedAnswer {
  status: number;
  text: string;
  /** Of a redirect. */
  location?: string;
}

/** For an answer that is no success. `what` was asked for, as in `start a kernel`; `hasToken` is whether one was sent. */
export function statusError(server: string, what: string, answer: RefusedAnswer, hasToken: boolean): GatewayError {
  const { status, location } = answer;
  const said = serverMessage(answer.text);
  const quoted = said === null ? '' : ` It says: “${said}”`;
  if (asksForToken(status, said, location)) {
    const message = hasToken ? `The server at ${server} does not accept the token.` : `The server at ${server} asks for a token.`;
    const hint = hasToken ? 'Copy the present token from the server and try again.' : 'Give the token of the server.';
    return new GatewayError('unauthorized', message, hint, { status });
  }
  if (location !== undefined) return notJupyter(server, `it sends on to ${location.replace(/\?.*$/, '')}`, undefined, status);
  if (status === 404 && said === null) return notJupyter(server, 'it has no such page (404)', undefined, status);
  if (status === 404)
    return new GatewayError('not-found', `The server at ${server} can’t ${what}.${quoted}`, 'Choose another one.', { status });
  if (status >= 500) {
    const hint = 'Look at the server’s own log, and try again.';
    return new GatewayError('server-error', `The server at ${server} failed to ${what} (${status}).${quoted}`, hint, { status });
  }
  return new GatewayError('refused', `The server at ${server} refuses to ${what} (${status}).${quoted}`, 'Ask who runs the server.', {
    status,
  });
}

/** 403 has two meanings: without a reason it is the token, else the reason is what counts (a limit of kernels, a user without rights). */
function asksForToken(status: number, said: string | null, location: string | undefined): boolean {
  if (location !== undefined) return /login|oauth/i.test(location);
  return status === 401 || (status === 403 && (said === null || /^forbidden$|_xsrf/i.test(said)));
}

/** A Jupyter server answers failures with JSON; a proxy or another program with a page. */
function serverMessage(text: string): string | null {
  try {
    const { message, reason } = JSON.parse(text) as { message?: unknown; reason?: unknown };
    const said = [message, reason].find((part): part is string => typeof part === 'string' && part !== '');
    return (said ?? '').split('\n')[0]?.slice(0, 300) || null;
  } catch {
    return null;
  }
}

function codeOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
