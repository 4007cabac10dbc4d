/**
 * Who an agent is, from the headers that its client's configuration sends: the person wrote that configuration, and the model has no tool that
 * changes it. Without them an agent is known by its client's name alone.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { AgentIdentity } from './agent.ts';

export const AGENT_HEADER = 'cellwright-agent';
export const NAME_HEADER = 'cellwright-name';
/** Several are divided by commas; each is URI-encoded, as a header can't hold every path. */
export const FOLDERS_HEADER = 'cellwright-folders';

/** Longer names make no good tab. */
const NAME_LIMIT = 60;

export function identityOf(
  headers: IncomingHttpHeaders,
  client: { name: string; title?: string | undefined; version: string },
  defaultFolders: readonly string[],
): AgentIdentity {
  const id = text(headers[AGENT_HEADER]);
  const given = text(headers[FOLDERS_HEADER]);
  const folders = given === null ? [...defaultFolders] : given.split(',').map(decoded).filter(path.isAbsolute);
  return {
    id: id !== null && /^[a-z0-9][a-z0-9-]{7,63}$/.test(id) ? id : randomUUID(),
    name: plainName(decoded(text(headers[NAME_HEADER]) ?? '')) || plainName(client.title ?? client.name) || 'Agent',
    client: plainName(`${client.name} ${client.version}`),
    folders: folders.map((folder) => path.resolve(folder)),
  };
}

export function foldersHeader(folders: readonly string[]): string {
  return folders.map(encodeURIComponent).join(',');
}

function text(header: string | string[] | undefined): string | null {
  const value = Array.isArray(header) ? header[0] : header;
  return value === undefined || value.trim() === '' ? null : value.trim();
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return value.trim();
  }
}

/** One line without control characters. */
function plainName(name: string): string {
  return name
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, NAME_LIMIT);
}
