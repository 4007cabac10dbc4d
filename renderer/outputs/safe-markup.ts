/**
 * The one gate for markup from notebooks into the window's own page: DOMPurify with a list narrower than its own. What passes can't run,
 * load, submit, navigate, or lie over the window: trust plays no part here.
 */
import DOMPurify from 'dompurify';

const FORBIDDEN_TAGS = [
  'style',
  'form',
  'input',
  'button',
  'select',
  'textarea',
  'option',
  'optgroup',
  'dialog',
  'audio',
  'video',
  'source',
  'track',
  'iframe',
  'object',
  'embed',
  'template',
  'slot',
  'map',
  'area',
  'use',
  'animate',
  'animatetransform',
  'animatemotion',
  'set',
  'image',
  'feimage',
];
const FORBIDDEN_ATTRIBUTES = [
  'srcset',
  'action',
  'formaction',
  'ping',
  'contenteditable',
  'autofocus',
  'tabindex',
  'accesskey',
  'draggable',
  'popover',
  'is',
  'target',
  'background',
  'poster',
  'usemap',
];

/** Attributes that our own renderer makes. */
const OWN_ATTRIBUTES = ['data-tex', 'data-src', 'data-done'];
/** Class names with a look of their own; every other one could be a name of the window's. */
const CLASS = /^(?:alert|alert-(?:info|success|warning|danger|block)|cw-[a-z]+|language-[\w+#.-]+)$/;
const ADDRESS = /^(?:(?:https?|mailto|attachment|cw-data):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

let purifier: ReturnType<typeof DOMPurify> | null = null;

/** Made at the first use, since it needs a page. */
function getPurifier(): ReturnType<typeof DOMPurify> {
  if (purifier) return purifier;
  purifier = DOMPurify(window);
  purifier.addHook('uponSanitizeAttribute', (element, data) => {
    if (data.attrName === 'style') data.attrValue = safeStyle(data.attrValue);
    else if (data.attrName === 'class')
      data.attrValue = data.attrValue
        .split(/\s+/)
        .filter((name) => CLASS.test(name))
        .join(' ');
    else if ((data.attrName === 'id' || data.attrName === 'name') && !isSvg(element)) {
      // A target for links within the notebook, without a name that scripts of the window could mistake for theirs.
      if (data.attrValue !== '') element.setAttribute('data-anchor', data.attrValue);
      data.keepAttr = false;
    } else return;
    if (data.attrValue === '') data.keepAttr = false;
  });
  purifier.addHook('afterSanitizeAttributes', (element) => {
    // Raw `<img>` in markdown: its address waits, as that of an image in markdown's own notation does.
    if (element.localName === 'img' && element.hasAttribute('src')) {
      if (!element.getAttribute('data-src')) element.setAttribute('data-src', element.getAttribute('src') ?? '');
      element.removeAttribute('src');
    }
  });
  return purifier;
}

function isSvg(element: Element): boolean {
  return element.namespaceURI === 'http://www.w3.org/2000/svg';
}

/** A fragment that may be put into the page. Images have no source yet: it is in `data-src`. */
export function sanitize(html: string): DocumentFragment {
  return getPurifier().sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true, svg: true, svgFilters: true, mathMl: true },
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: FORBIDDEN_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ADD_ATTR: [...OWN_ATTRIBUTES, 'data-anchor'],
    ALLOWED_URI_REGEXP: ADDRESS,
  });
}

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
