import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isFrameFont } from '../../../main/window/frame-fonts.ts';
import { framePage, TRUSTED_POLICY, untrustedPolicy, widgetPage } from '../../../main/window/frame-page.ts';
import { frameScript } from '../../../main/window/frame-script.ts';
import { isFrameScript } from '../../../main/window/frame-scripts.ts';
import { FRAME_STYLES } from '../../../main/window/frame-styles.ts';

const base = { mime: 'text/html', content: '<b>hi</b>', trusted: false, dark: false, nonce: 'n0nce' };

function directive(policy: string, name: string): string | undefined {
  return policy.split('; ').find((part) => part.startsWith(`${name} `));
}

describe('the page of an output', () => {
  it('holds untrusted content as data alone, which no markup in it can end', () => {
    const content = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>';
    const { html } = framePage({ ...base, content });
    expect(html).not.toContain('alert(1)</script>');
    expect(html).not.toContain('<img');
    const block = /<script type="application\/json" id="cellwright-inert">(.*?)<\/script>/s.exec(html)?.[1];
    expect(JSON.parse(block ?? '')).toBe(content);
    expect(html.match(/<script/g)).toHaveLength(2);
  });

  it('runs only the script with the nonce while it is not trusted', () => {
    const { html, headers } = framePage(base);
    expect(html).toContain('<script nonce="n0nce">');
    expect(directive(headers['content-security-policy'] ?? '', 'script-src')).toBe("script-src 'nonce-n0nce'");
  });

  it('holds trusted HTML as markup, after our script', () => {
    const { html } = framePage({ ...base, content: '<script>draw()</script>', trusted: true });
    expect(html.indexOf('ResizeObserver')).toBeLessThan(html.indexOf('<script>draw()'));
  });

  it('never lets JavaScript end its block, and runs none without trust', () => {
    const script = { ...base, mime: 'application/javascript', content: 'let a = "</script>"' };
    expect(framePage({ ...script, trusted: true }).html).not.toContain('"</script>"');
    expect(framePage(script).html).not.toContain('let a');
    expect(framePage(script).html).toContain('Trust the notebook');
  });

  it.each([
    ['application/vnd.plotly.v1+json', 'plotly', ['plotly-library', 'plotly']],
    ['application/vnd.vegalite.v5+json', 'vega-lite', ['vega']],
    ['application/vnd.vega.v5+json', 'vega', ['vega']],
  ])('draws %s from its data with our own script, trusted or not', (mime, kind, scripts) => {
    const content = JSON.stringify({ data: [], layout: { title: '</script><script>alert(1)</script>' } });
    for (const trusted of [false, true]) {
      const { html } = framePage({ ...base, mime, content, trusted });
      const block = /<script type="application\/json" id="cellwright-data">(.*?)<\/script>/s.exec(html)?.[1];
      expect(JSON.parse(JSON.parse(block ?? ''))).toEqual(JSON.parse(content));
      expect(html).toContain(`data-kind="${kind}" data-trusted="${trusted}"`);
      const sources = [...html.matchAll(/<script( nonce="n0nce")? src="(.*?)">/g)];
      expect(sources.map((found) => found[2])).toEqual(scripts.map((name) => `output://scripts/${name}.js`));
      expect(sources.every((found) => (found[1] !== undefined) === !trusted)).toBe(true);
      expect(html).not.toContain('alert(1)</script>');
    }
  });

  it('shows a widget by its id alone, which no markup can be made of', () => {
    const { html, headers } = widgetPage({ modelId: '</script><script>alert(1)</script>', dark: true });
    const block = /<script type="application\/json" id="cellwright-data">(.*?)<\/script>/s.exec(html)?.[1];
    expect(JSON.parse(JSON.parse(block ?? ''))).toEqual({ modelId: '</script><script>alert(1)</script>' });
    expect(html).toContain('<html data-theme="dark">');
    expect(html).toContain('src="output://scripts/widgets.js"');
    expect(headers['content-security-policy']).toBe(TRUSTED_POLICY);
  });

  it('says its theme, and is never kept in a cache', () => {
    expect(framePage({ ...base, dark: true }).html).toContain('<html data-theme="dark">');
    expect(framePage(base).headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });

  it('has a script that parses', () => {
    expect(() => new Script(frameScript('app://cellwright'))).not.toThrow();
    expect(frameScript('app://cellwright')).not.toContain('</script');
  });
});

describe('its policies', () => {
  it.each([
    ['not trusted', untrustedPolicy('n')],
    ['trusted', TRUSTED_POLICY],
  ])('%s: opaque origin, no forms, held by our page alone, our own schemes out of reach', (_, policy) => {
    expect(directive(policy, 'sandbox')).toBe('sandbox allow-scripts');
    expect(directive(policy, 'default-src')).toBe("default-src 'none'");
    expect(directive(policy, 'form-action')).toBe("form-action 'none'");
    expect(directive(policy, 'base-uri')).toBe("base-uri 'none'");
    expect(directive(policy, 'frame-ancestors')).toBe('frame-ancestors app://cellwright');
    const sources = policy.split('; ').filter((part) => !part.startsWith('frame-ancestors'));
    // The fonts and the scripts that draw plots and widgets, and nothing else of ours.
    const others = sources.map((part) => {
      if (part.startsWith('font-src')) return part.replace(' output://fonts', '');
      return /^(script|style)-src/.test(part) ? part.replace(' output://scripts', '') : part;
    });
    expect(others.join(' ')).not.toMatch(/'self'|\bapp:|\boutput:|\bartifact:|file:|\*/);
  });

  it('opens three font files and no other address', () => {
    const names = ['inter', 'jetbrains-mono', 'fa-solid-900'];
    expect(names.map((name) => isFrameFont(`output://fonts/${name}.woff2`))).toEqual([true, true, true]);
    for (const other of ['', '/', '/inter', '/../main.cjs', '/inter.woff2?x', '/inter.woff2/..'])
      expect(isFrameFont(`output://fonts${other}`)).toBe(false);
  });

  it('opens the scripts of frames and no other address', () => {
    for (const name of ['plotly-library.js', 'plotly.js', 'vega.js', 'widgets.js', 'widgets.css']) {
      expect(isFrameScript(`output://scripts/${name}`)).toBe(true);
    }
    for (const other of ['', '/', '/vega', '/../main/main.cjs', '/vega.js?x', '/vega.js/..']) {
      expect(isFrameScript(`output://scripts${other}`)).toBe(false);
    }
  });

  it('has no network before it is trusted', () => {
    expect(untrustedPolicy('n')).not.toMatch(/https?:|wss?:|connect-src|frame-src|unsafe-eval/);
    expect(directive(TRUSTED_POLICY, 'connect-src')).toContain('https:');
  });
});

it('its colours are the window’s', () => {
  const tokens = readFileSync(new URL('../../../renderer/shell/tokens.css', import.meta.url), 'utf8');
  const pairs: [string, string][] = [
    ['text', 'color-text'],
    ['text-muted', 'color-text-muted'],
    ['line', 'color-line'],
    ['line-strong', 'color-line-strong'],
    ['sunken', 'color-bg-sunken'],
    ['hover', 'color-bg-hover'],
    ['accent', 'color-accent-text'],
  ];
  const values = (css: string, name: string) =>
    [...css.matchAll(new RegExp(`--${name}: ([^;]+);`, 'g'))].map((match) => match[1]).slice(0, 2);
  for (const [ours, theirs] of pairs) expect(values(FRAME_STYLES, ours), ours).toEqual(values(tokens, theirs));
});
