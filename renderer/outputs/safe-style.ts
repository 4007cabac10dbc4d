/**
 * Inline styles in markdown, reduced to the declarations that change how something looks and not where it lies. A list of what may pass,
 * since the ways out of a cell by style are many and new ones come. Pure.
 */

const STYLES = new Set([
  'color',
  'background-color',
  'background',
  'font-weight',
  'font-style',
  'font-size',
  'font-family',
  'font-variant',
  'line-height',
  'letter-spacing',
  'text-align',
  'text-decoration',
  'text-transform',
  'text-indent',
  'vertical-align',
  'white-space',
  'width',
  'height',
  'max-width',
  'max-height',
  'min-width',
  'min-height',
  'margin',
  'margin-top',
  'margin-right',
  'margin-bottom',
  'margin-left',
  'padding',
  'padding-top',
  'padding-right',
  'padding-bottom',
  'padding-left',
  'border',
  'border-top',
  'border-right',
  'border-bottom',
  'border-left',
  'border-color',
  'border-style',
  'border-width',
  'border-radius',
  'border-collapse',
  'border-spacing',
  'float',
  'clear',
  'list-style',
  'list-style-type',
  'display',
  'opacity',
  'box-sizing',
  'fill',
  'stroke',
  'stroke-width',
]);
const DISPLAYS = /^(?:block|inline|inline-block|table|table-row|table-cell|flow-root|list-item|none)$/;

/** The declarations that change how something looks and not where it lies; nothing that loads, no way out of the cell. */
export function safeStyle(style: string): string {
  return style
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':');
      return [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()] as const;
    })
    .filter(([name, value]) => STYLES.has(name) && isSafeValue(name, value))
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
}

function isSafeValue(name: string, value: string): boolean {
  if (value === '' || value.length > 200 || /[\\@<>{}]|\/\*|url|image|expression|var\(|env\(|attr\(/i.test(value)) return false;
  if (name === 'display') return DISPLAYS.test(value);
  // A negative margin would pull the content over its neighbours.
  if (name.startsWith('margin') && value.includes('-')) return false;
  return true;
}
