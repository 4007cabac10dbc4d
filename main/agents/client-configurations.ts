/**
 * What a person copies to connect a client, made for this installation. Clients that start a program get the command, which needs no secret; those that
 * speak HTTP get address and token.
 */
import path from 'node:path';
import type { ClientConfiguration } from '../../preload/agent-sessions.ts';
import type { Endpoint } from './endpoint-file.ts';

export interface ServerCommand {
  command: string;
  args: readonly string[];
}

/** `endpoint` null: no server runs, and only the command is of use. */
export function clientConfigurations({ command, args }: ServerCommand, folder: string, endpoint: Endpoint | null): ClientConfiguration[] {
  const all = [...args, '--folder', folder];
  const server = { command, args: all };
  const shell = shellLine({ command, args: all });
  const json = (value: object): string => JSON.stringify(value, null, 2);
  const toml = `[mcp_servers.cellwright]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(all)}`;
  const commands: ClientConfiguration[] = [
    { client: 'Claude Code', place: 'terminal', text: `claude mcp add cellwright -- ${shell}`, secret: false },
    { client: 'Claude Desktop', place: 'claude_desktop_config.json', text: json({ mcpServers: { cellwright: server } }), secret: false },
    { client: 'Cursor', place: '.cursor/mcp.json', text: json({ mcpServers: { cellwright: server } }), secret: false },
    { client: 'VS Code', place: '.vscode/mcp.json', text: json({ servers: { cellwright: { type: 'stdio', ...server } } }), secret: false },
    { client: 'Codex', place: '~/.codex/config.toml', text: toml, secret: false },
    { client: 'Gemini CLI', place: '~/.gemini/settings.json', text: json({ mcpServers: { cellwright: server } }), secret: false },
  ];
  if (!endpoint) return commands;
  const headers = { Authorization: `Bearer ${endpoint.token}`, 'Cellwright-Folders': encodeURIComponent(folder) };
  const http = { type: 'http', url: endpoint.url, headers };
  return [
    ...commands,
    { client: 'Any client over HTTP', place: 'its MCP servers', text: json({ mcpServers: { cellwright: http } }), secret: true },
  ];
}

export interface Installation {
  isPackaged: boolean;
  platform: NodeJS.Platform;
  /** The folder of the app's code. */
  appPath: string;
  /** The app's program. */
  program: string;
}

/** What starts `cellwright mcp` here, from any folder: the packaged script, or the repository's own with the person's Node. */
export function serverCommand({ isPackaged, platform, appPath, program }: Installation): ServerCommand {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  if (!isPackaged) return { command: 'node', args: [paths.join(appPath, 'bin', 'cellwright.mjs'), 'mcp'] };
  return { command: paths.join(paths.dirname(program), ...(platform === 'darwin' ? ['..'] : []), 'bin', 'cellwright'), args: ['mcp'] };
}

/** As a person types it. */
export function shellLine({ command, args }: ServerCommand): string {
  return [command, ...args].map(quoted).join(' ');
}

/** For a POSIX shell; what is harmless stays as it is. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
