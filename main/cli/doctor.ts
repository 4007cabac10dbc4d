/**
 * `cellwright doctor [--json]`: what is there, what is missing, and how to fix it. It changes nothing and starts no kernel.
 * The exit code is 1 when something is missing, so that a script can ask.
 */
import { parseArgs } from 'node:util';
import { electronFindings } from './electron-findings.ts';
import { type Finding, formatFindings } from './finding.ts';
import { limitFindings } from './limit-findings.ts';
import { presentSettings, profileFindings } from './profile-findings.ts';
import { pythonFindings } from './python-findings.ts';
import { shellFindings } from './shell-findings.ts';
import { transportFindings } from './transport-findings.ts';

export async function doctorCommand(argv: string[], { root }: { readonly root: string }): Promise<number> {
  const json = readOptions(argv);
  if (json === undefined) {
    console.error('Usage: cellwright doctor [--json]');
    return 2;
  }
  const groups = await Promise.all([electronFindings(root), limitFindings(), pythonFindings(), ofSettings(), profileFindings()]);
  const findings: Finding[] = groups.flat();
  console.log(json ? JSON.stringify(findings, null, 2) : formatFindings(findings));
  return findings.every(({ status }) => status === 'ok') ? 0 : 1;
}

async function ofSettings(): Promise<Finding[]> {
  const settings = await presentSettings();
  return (await Promise.all([transportFindings(settings), shellFindings(settings.shellEnvironment)])).flat();
}

/** Whether JSON is wanted; undefined for a wrong command line. */
function readOptions(argv: string[]): boolean | undefined {
  try {
    return parseArgs({ args: argv, options: { json: { type: 'boolean', default: false } } }).values.json;
  } catch {
    return undefined;
  }
}
