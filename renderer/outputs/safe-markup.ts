/**
 * The one gate for markup from notebooks into the window's own page: DOMPurify with a list narrower than its own. What passes can't run,
 * load, submit, navigate, or lie over the window: trust plays no part here.
 */
import DOMPurify from 'dompurify';
import { safeStyle } from './safe-style.ts';

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

/** Attributes that our own renderer makes, and the hook below. Their values are data, whatever scheme they seem to start with. */
const OWN_ATTRIBUTES = ['data-tex', 'data-display', 'data-src', 'data-done', 'data-anchor'];
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
    ADD_ATTR: OWN_ATTRIBUTES,
    ADD_URI_SAFE_ATTR: OWN_ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESS,
  });
}
