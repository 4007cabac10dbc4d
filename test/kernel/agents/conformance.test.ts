/**
 * The protocol's own conformance checks against the agents' server. Many of them call tools, resources and prompts of the package's example server; those
 * are listed here with the reason, and a scenario that a new version of the package brings must be given a place.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, endpointFile } from '../../../main/agents/endpoint-file.ts';
import { repository } from '../../../scripts/setup/paths.mjs';
import { type McpFixture, openMcp } from './mcp-fixture.ts';
import { startTokenProxy, type TokenProxy } from './token-proxy.ts';

const APPLIES = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'];

const EXAMPLE_TOOL = 'calls a tool of the package’s example server; the same kind of call is made with our own tools in tools.test.ts';
const EXAMPLE_RESOURCE = 'reads a resource of the package’s example server; ours are read in tools.test.ts';
const NO_PROMPTS = 'the server has no prompts, and says so in its capabilities';
const NOT_ASKED = 'the server asks clients for nothing: a person is asked in Cellwright’s window';

const DOES_NOT_APPLY: Readonly<Record<string, string>> = {
  'tools-call-simple-text': EXAMPLE_TOOL,
  'tools-call-image': EXAMPLE_TOOL,
  'tools-call-error': EXAMPLE_TOOL,
  'tools-call-with-progress': EXAMPLE_TOOL,
  'tools-call-mixed-content': EXAMPLE_TOOL,
  'tools-call-embedded-resource': 'our results link to resources instead of embedding them',
  'tools-call-audio': 'no tool of ours answers with sound',
  'tools-call-with-logging': 'the server sends no log messages, and says so in its capabilities',
  'logging-set-level': 'the server sends no log messages, and says so in its capabilities',
  'tools-call-sampling': NOT_ASKED,
  'tools-call-elicitation': NOT_ASKED,
  'elicitation-sep1034-defaults': NOT_ASKED,
  'elicitation-sep1330-enums': NOT_ASKED,
  'json-schema-2020-12': 'looks at the schema of a tool of the package’s example server; ours are checked in tools.test.ts',
  'server-sse-polling': 'streams are not resumed by event: a run goes on by itself and is picked up with wait',
  'completion-complete': 'the server completes no arguments, and says so in its capabilities',
  'resources-read-text': EXAMPLE_RESOURCE,
  'resources-read-binary': EXAMPLE_RESOURCE,
  'resources-templates-read': EXAMPLE_RESOURCE,
  'resources-subscribe': 'resources can’t be subscribed to, as the capabilities say; wait tells of edits',
  'resources-unsubscribe': 'resources can’t be subscribed to, as the capabilities say; wait tells of edits',
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
};

let fixture: McpFixture;
let proxy: TokenProxy;
/** By scenario. */
let results: Map<string, { passed: number; failed: number }>;
let said = '';

beforeAll(async () => {
  fixture = await openMcp();
  await fixture.agent({ name: 'server' });
  const endpoint = JSON.parse(await readFile(endpointFile(fixture.profile), 'utf8')) as Endpoint;
  proxy = await startTokenProxy(endpoint, { 'cellwright-folders': encodeURIComponent(fixture.folder) });
  // As one CommonJS file, since the package as it is loads under newer versions of Node only.
  const checks = path.join(fixture.root, 'conformance.cjs');
  const entry = path.join(repository, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  await build({ entryPoints: [entry], outfile: checks, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  said = await output(process.execPath, [checks, 'server', '--url', proxy.url, '--suite', 'all', '-o', path.join(fixture.root, 'results')]);
  const lines = [...said.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm)];
  results = new Map(lines.map(([, name, passed, failed]) => [name!, { passed: Number(passed), failed: Number(failed) }]));
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
});

test.each(APPLIES)('%s', (name) => {
  expect(results.get(name), said).toMatchObject({ failed: 0 });
  expect(results.get(name)?.passed).toBeGreaterThan(0);
});

test('every scenario either applies or has a reason why not, and none of those passes', () => {
  expect([...results.keys()].sort(), said).toEqual([...APPLIES, ...Object.keys(DOES_NOT_APPLY)].sort());
  const passing = Object.keys(DOES_NOT_APPLY).filter((name) => (results.get(name)?.passed ?? 0) > 0);
  expect(passing).toEqual([]);
});

/** Its exit code tells of scenarios that do not apply as well, so it says nothing here. */
function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (data: string) => {
        text += data;
      });
    }
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}
