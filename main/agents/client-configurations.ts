/**
 * What a person copies to connect a client, made for this installation. Clients that start a program get the command, which needs no secret; those that
 * speak HTTP get address and token.
 */
import type { Endpoint } from './endpoint-file.ts';

export interface ClientConfiguration {
  client: string;
  /** Where it belongs: a file, or `terminal`. */
  place: string;
  /** What is copied. */
  text: string;
  /** It contains the token. */
  secret: boolean;
}

export interface ServerCommand {
  command: string;
  args: readonly string[];
}

/** `endpoint` null: no server runs, and only the command is of use. */
export function clientConfigurations({ command, args }: ServerCommand, folder: string, endpoint: Endpoint | null): ClientConfiguration[] {
  const all = [...args, '--folder', folder];
  const server = { command, args: all };
  const shell = [command, ...all].map(quoted).join(' ');
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

/** For a POSIX shell; what is harmless stays as it is. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
