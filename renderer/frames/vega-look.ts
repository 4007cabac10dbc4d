/** The window's look as a Vega configuration: what a specification says itself always wins over it. Pure. */

export interface ChartColours {
  text: string;
  muted: string;
  line: string;
  lineStrong: string;
}

export function chartConfig({ text, muted, line, lineStrong }: ChartColours): Record<string, unknown> {
  const font = 'Inter, system-ui, sans-serif';
  return {
    background: 'transparent',
    font,
    title: { color: text, subtitleColor: muted },
    axis: { labelColor: muted, titleColor: text, gridColor: line, domainColor: lineStrong, tickColor: lineStrong },
    header: { labelColor: muted, titleColor: text },
    legend: { labelColor: muted, titleColor: text },
    view: { stroke: line },
    // Marks of text and lines that name no colour would be black on black.
    style: { 'guide-label': { fill: muted }, 'guide-title': { fill: text }, text: { fill: text }, 'group-title': { fill: text } },
    rule: { color: muted },
    text: { color: text },
  };
}
