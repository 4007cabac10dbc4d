/**
 * One thing `doctor` looked at, and how a person reads it. A finding that is missing always says how to fix it: the type has no other way.
 */

export type Finding =
  | { readonly name: string; readonly status: 'ok'; readonly detail: string }
  | { readonly name: string; readonly status: 'missing'; readonly detail: string; readonly fix: string };

export function ok(name: string, detail: string): Finding {
  return { name, status: 'ok', detail };
}

export function missing(name: string, detail: string, fix: string): Finding {
  return { name, status: 'missing', detail, fix };
}

/** One line per finding, with the fix under it where there is one. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .map((finding) => {
      const line = `${finding.status.padEnd(7)}  ${finding.name.padEnd(width)}  ${finding.detail}`;
      return finding.status === 'ok' ? line : `${line}\n${indent(`how to fix it: ${finding.fix}`, width + 11)}`;
    })
    .join('\n');
}

function indent(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(width) + line)
    .join('\n');
}
