/** Numbers and tables of the benchmarks, as Markdown, so that they can be copied into a note as they are. */

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `share` (0..1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function ratio(value: number, base: number): string {
  return `${(value / base).toFixed(2)} ×`;
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
}
