/**
 * Our own script inside an output's frame, as text. It tells the window how tall the output is, follows the theme, hands links over, and
 * builds the output of a notebook that is not trusted. The frame has an opaque origin: posting to its parent is all it can do.
 */

/** Elements that reach the network or load further content without any script; a content security policy does not stop all of them. */
const LEFT_OUT = 'script, link, meta, base, iframe, frame, frameset, object, embed, portal';

/**
 * `targetOrigin` is the window's page: nobody else is told anything. The output of an untrusted notebook comes as a JSON data block and
 * passes through DOMParser, whose documents load nothing, so that a `<link rel="dns-prefetch">` in it is gone before it can speak.
 */
export function frameScript(targetOrigin: string): string {
  return `(() => {
  'use strict';
  const post = (message) => parent.postMessage(message, ${JSON.stringify(targetOrigin)});

  let told = -1;
  const tellHeight = () => {
    const body = document.body;
    if (!body) return;
    const height = Math.ceil(Math.max(body.getBoundingClientRect().height, body.scrollHeight));
    if (height === told) return;
    told = height;
    post({ cellwright: 'size', height });
  };

  const setTheme = (dark) => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    if (document.body) document.body.dataset.jpThemeLight = String(!dark);
  };

  const addressOf = (link) => {
    const href = link.getAttribute('href') ?? link.getAttributeNS('http://www.w3.org/1999/xlink', 'href');
    if (href === null || href.startsWith('#') || !URL.canParse(href, document.baseURI)) return null;
    return new URL(href, document.baseURI);
  };

  const follow = (event) => {
    if (event.defaultPrevented) return;
    const link = event.composedPath().find((node) => node instanceof Element && node.localName === 'a');
    const address = link && addressOf(link);
    if (!address) return;
    if (address.protocol === 'javascript:') return;
    event.preventDefault();
    if (['https:', 'http:', 'mailto:'].includes(address.protocol)) post({ cellwright: 'open', url: address.href });
  };

  const buildInert = (block) => {
    const parsed = new DOMParser().parseFromString(JSON.parse(block.textContent), 'text/html');
    if (parsed.querySelector('script')) post({ cellwright: 'held' });
    for (const element of parsed.querySelectorAll(${JSON.stringify(LEFT_OUT)})) element.remove();
    for (const element of parsed.querySelectorAll('[ping]')) element.removeAttribute('ping');
    document.getElementById('output').append(...parsed.head.childNodes, ...parsed.body.childNodes);
  };

  const runScript = (block) => {
    const script = document.createElement('script');
    script.textContent = '(function (element) {' + JSON.parse(block.textContent) + '\\n})(document.getElementById("output"));';
    document.body.append(script);
  };

  addEventListener('message', (event) => {
    if (event.source === parent && event.data?.cellwright === 'theme') setTheme(Boolean(event.data.dark));
  });
  addEventListener('click', follow);
  addEventListener('auxclick', follow);
  addEventListener('load', tellHeight);
  addEventListener('DOMContentLoaded', () => {
    setTheme(document.documentElement.dataset.theme === 'dark');
    new ResizeObserver(tellHeight).observe(document.body);
    const inert = document.getElementById('cellwright-inert');
    const script = document.getElementById('cellwright-script');
    if (inert) buildInert(inert);
    if (script) runScript(script);
    tellHeight();
  });
})();`;
}
