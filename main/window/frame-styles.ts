/**
 * How an output looks inside its frame. The frame sees none of the window's styles, so the few tokens it needs are repeated here; a test
 * compares them with the window's. Colours are given to plain elements only, with no class and little weight, so that the output's own win.
 */
export const FRAME_STYLES = `
:root {
  color-scheme: light;
  --text: #25221e;
  --text-muted: #5d574f;
  --line: #e9e5df;
  --line-strong: #d5cfc6;
  --sunken: #f5f3f0;
  --hover: rgb(70 55 35 / 6%);
  --accent: #4a46cf;
}
:root[data-theme='dark'] {
  color-scheme: dark;
  --text: #e9e6e1;
  --text-muted: #b0aaa2;
  --line: #302e2b;
  --line-strong: #45423e;
  --sunken: #161514;
  --hover: rgb(255 245 230 / 6%);
  --accent: #a3a0fa;
}
/* Names that representations of arrays and data frames made for Jupyter look up. */
:root {
  --jp-content-font-color0: var(--text);
  --jp-content-font-color1: var(--text);
  --jp-content-font-color2: var(--text-muted);
  --jp-content-font-color3: var(--text-muted);
  --jp-ui-font-color0: var(--text);
  --jp-ui-font-color1: var(--text);
  --jp-border-color0: var(--line-strong);
  --jp-border-color1: var(--line-strong);
  --jp-border-color2: var(--line);
  --jp-border-color3: var(--line);
  --jp-layout-color0: transparent;
  --jp-layout-color1: transparent;
  --jp-layout-color2: var(--sunken);
  --jp-layout-color3: var(--sunken);
  --jp-brand-color1: var(--accent);
}
html { background: transparent; }
body {
  display: flow-root;
  margin: 0;
  color: var(--text);
  font: 13px/1.5 Inter, system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
#output { display: flow-root; overflow-x: auto; }
:where(a) { color: var(--accent); }
:where(h1, h2, h3, h4, h5, h6) { margin: 12px 0 8px; line-height: 1.3; }
:where(h1) { font-size: 20px; }
:where(h2) { font-size: 16px; }
:where(h3, h4, h5, h6) { font-size: 14px; }
:where(p) { margin: 0 0 8px; }
:where(code, pre) { font: 13px/1.45 'JetBrains Mono', ui-monospace, monospace; }
:where(pre) { margin: 0 0 8px; white-space: pre-wrap; }
:where(hr) { border: 0; border-top: 1px solid var(--line); }
:where(img, svg, video, canvas) { max-width: 100%; }
:where(table) { border-collapse: collapse; margin: 0 0 4px; }
:where(caption) { color: var(--text-muted); padding: 0 0 4px; text-align: start; }
:where(th, td) { padding: 4px 12px; text-align: right; vertical-align: top; white-space: nowrap; overflow-wrap: normal; }
:where(thead th) { border-bottom: 1px solid var(--line-strong); color: var(--text-muted); font-weight: 600; }
:where(tbody th) { color: var(--text-muted); font-weight: 500; }
:where(tbody tr) { border-bottom: 1px solid var(--line); }
:where(tbody tr:hover) { background: var(--hover); }
/* The border attribute of data frames would draw a grid of boxes. */
:where(table.dataframe) { border: 0; }
.dataframe :where(th, td) { border-width: 0; border-style: solid; border-color: var(--line); }
.note { color: var(--text-muted); }
@media (prefers-reduced-motion: reduce) { * { animation: none; transition: none; } }
`;
