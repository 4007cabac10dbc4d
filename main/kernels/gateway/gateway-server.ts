/**
 * Which server, and how to get in. The address that people have is the one in their browser, with a page and often the token in it; the
 * token must not stay there, because addresses are shown and logged.
 */
import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, checkServerIdentity, rootCertificates } from 'node:tls';
import type { LaunchOptions } from '../kernel.ts';
import { GatewayError } from './gateway-errors.ts';

/** A Jupyter Server, JupyterHub single-user server, Kernel Gateway or Enterprise Gateway. */
export interface GatewayServer {
  /** Base address, http or https, with a slash at its end and nothing secret in it. */
  url: string;
  token?: string;
  /** PEM: a certificate or authority to trust besides the system's, e.g. the server's own self-signed one. */
  certificate?: string;
  /** Takes any certificate at all, so whoever sits in between can read the token. Only for a way that nobody else is on. */
  anyCertificate?: boolean;
}

/** What a kernel is started on or attached to. */
export interface GatewayTarget extends GatewayServer {
  /** A running kernel's id on the server: it is attached to, and left running at the end. Otherwise a new one is started. */
  kernelId?: string;
  /** The folder of this machine that the server has as its root. With it a kernel starts in the notebook's folder, else where the server says. */
  rootFolder?: string;
  /** The server's own process, when it runs here: once it is gone nobody need wait for it to come back. */
  process?: { pid: number; start: string };
  /** Told of the kernels started there, so that they can be ended when this process is killed. */
  ledger?: KernelLedger;
  /** For a server of our own: makes a kernelspec of this machine known there, with the session's variables. */
  offer?(launch: Pick<LaunchOptions, 'spec' | 'env'>): Promise<OfferedSpec>;
}

export interface OfferedSpec {
  /** Its name there. */
  name: string;
  /** The last part of what the server and its kernels wrote to stderr since. */
  said(): Promise<string>;
}

export interface KernelLedger {
  add(serverKernelId: string): Promise<void>;
  remove(serverKernelId: string): Promise<void>;
}

/** Where the kernel host connects to. */
export interface GatewayConnectionInfo extends GatewayServer {
  transport: 'websocket';
  /** The server's id of the kernel, not ours. */
  serverKernelId: string;
}

/** Pages of Jupyter's web applications; what comes before them is the server's base path. */
const PAGE = /\/(lab|tree|notebooks|doc|edit|consoles|terminals|login|retro|nbclassic|voila|api)(\/.*)?$/;

/** Sent twice, as cookie and as header: the proof that no foreign web page asks. Any value will do. */
const XSRF_PROOF = 'cellwright';

/** The server behind an address as a browser shows it. A token given beside it wins over one in it. Throws GatewayError. */
export function gatewayServer(address: string, token?: string): GatewayServer {
  const text = address.trim();
  const url = parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    const hint = 'Give one like https://host:8888/ or http://localhost:8888/.';
    throw new GatewayError('bad-address', `“${withoutSecrets(text)}” is not the address of a Jupyter server.`, hint);
  }
  const path = url.pathname.replace(PAGE, '').replace(/\/+$/, '');
  const found = token ?? url.searchParams.get('token');
  return { url: `${url.origin}${path}/`, ...(found ? { token: found } : {}) };
}

/** Headers that let us in. */
export function accessHeaders({ token }: GatewayServer): Record<string, string> {
  return token ? { Authorization: `token ${token}` } : { Cookie: `_xsrf=${XSRF_PROOF}`, 'X-XSRFToken': XSRF_PROOF };
}

/** TLS options for a connection to the server; nothing for plain http. Throws GatewayError for a certificate that is none. */
export function tlsOptions({ url, certificate, anyCertificate }: GatewayServer): ConnectionOptions {
  if (!url.startsWith('https:')) return {};
  if (anyCertificate) return { rejectUnauthorized: false };
  if (!certificate) return {};
  const given = readCertificate(certificate);
  return {
    ca: [...rootCertificates, certificate],
    // A certificate made by hand often names no host, or another; who trusts this very one has said enough.
    checkServerIdentity: (host, peer) => (given.raw.equals(peer.raw) ? undefined : checkServerIdentity(host, peer)),
  };
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    const hint = 'Give the text of a PEM file, which begins with -----BEGIN CERTIFICATE-----.';
    throw new GatewayError('certificate', 'The certificate given for the server can’t be read.', hint, { cause });
  }
}

/** For messages and logs. */
function withoutSecrets(address: string): string {
  return address.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
