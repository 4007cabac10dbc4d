/**
 * `cellwright mcp`: the MCP server on stdin and stdout. It joins the running app, or serves without a window in this process, where other `cellwright mcp`
 * then join it. Nothing but the protocol may reach stdout, and the process must not outlive its client.
 */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { AGENT_HEADER, FOLDERS_HEADER, foldersHeader, NAME_HEADER } from '../agents/http-identity.ts';
import { StdioBridge } from '../agents/stdio-bridge.ts';
import { LogFile } from '../log/log-file.ts';
import { McpServers } from './mcp-servers.ts';
import { profileFolder } from './profile-findings.ts';

const HELP = `Usage: cellwright mcp [options]

Serves MCP on stdin and stdout. When Cellwright's window is open the agent works in it,
in view of the person; otherwise everything runs without a window.

  --folder path            a folder that the agent may reach; may be given several times.
                           Without it: the folder in which the command is started
  --name name              how the agent is called in the window
  -h, --help               this text
`;

interface Options {
  folders: string[];
  name: string | null;
}

/** Returns the exit code, when the client has gone. `root` is the app's folder. */
export async function mcpCommand(argv: string[], { root }: { readonly root: string }): Promise<number> {
  const options = readOptions(argv);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (typeof options === 'string') {
    console.error(`${options} \`cellwright mcp --help\` lists the options.`);
    return 2;
  }
  // Whatever a library prints would break the protocol.
  console.log = console.error;
  console.info = console.error;
  const profile = profileFolder();
  const log = new LogFile({ folder: path.join(profile, 'logs', 'mcp'), level: 'info' });
  const folders = await Promise.all(options.folders.map((folder) => realpath(folder).catch(() => path.resolve(folder))));
  const servers = new McpServers({ root, profile, defaultFolders: folders, log });
  const bridge = new StdioBridge({
    client: new StdioServerTransport(),
    locate: (lost) => servers.locate(lost),
    headers: {
      [AGENT_HEADER]: randomUUID(),
      [FOLDERS_HEADER]: foldersHeader(folders),
      ...(options.name === null ? {} : { [NAME_HEADER]: encodeURIComponent(options.name) }),
    },
    log,
  });
  const gone = clientGone();
  await bridge.start();
  await gone;
  await bridge.end();
  await servers.close();
  await log.flush();
  return 0;
}

function readOptions(argv: string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        folder: { type: 'string', multiple: true },
        name: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    if (positionals.length > 0) return `${positionals[0]} is not expected; folders are given as --folder.`;
    return { folders: (values.folder ?? ['.']).map((folder) => path.resolve(folder)), name: values.name ?? null };
  } catch (error) {
    return `${(error as Error).message}.`.replace(/\.\.$/, '.');
  }
}

/** The client closes stdin, or its end of stdout, or asks with a signal. */
function clientGone(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on('end', resolve);
    process.stdin.on('close', resolve);
    process.stdout.on('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}
