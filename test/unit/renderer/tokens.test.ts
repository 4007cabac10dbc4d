/** The design tokens keep their promise: every text colour can be read on every background of its theme. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, '../../../renderer/shell/tokens.css'), 'utf8');
const LEAST = 4.5;
const BACKGROUNDS = ['--color-bg', '--color-bg-raised', '--color-bg-sunken'];

function tokensOf(theme: string): Map<string, string> {
  const block = new RegExp(`\\[data-theme=["']${theme}["']\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map([...block.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1]!, match[2]!]));
}

/** Relative luminance and contrast as WCAG 2.2 has them. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

describe.each(['light', 'dark', 'high-contrast'])('theme %s', (theme) => {
  const tokens = tokensOf(theme);
  const texts = [...tokens.keys()].filter(
    (name) =>
      name.startsWith('--ansi-') ||
      name.startsWith('--code-') ||
      [
        '--color-text',
        '--color-text-muted',
        '--color-text-faint',
        '--color-accent-text',
        '--color-running',
        '--color-done',
        '--color-failed',
        '--color-stale',
      ].includes(name),
  );

  it('has all tokens of the light theme', () => {
    expect([...tokens.keys()].sort()).toEqual([...tokensOf('light').keys()].sort());
    expect(texts.length).toBeGreaterThan(30);
  });

  it.each(texts)('%s can be read on every background', (name) => {
    for (const background of BACKGROUNDS) {
      expect(contrast(tokens.get(name)!, tokens.get(background)!), `${name} on ${background}`).toBeGreaterThanOrEqual(LEAST);
    }
  });

  it('shows the focus clearly enough to be found', () => {
    for (const bar of ['--color-accent', '--color-command-bar'])
      for (const background of BACKGROUNDS)
        expect(contrast(tokens.get(bar)!, tokens.get(background)!), `${bar} on ${background}`).toBeGreaterThanOrEqual(3);
  });

  it('can be read on soft colours and on the accent', () => {
    const pairs = [
      ['--color-on-accent', '--color-accent'],
      ['--color-text', '--color-accent-soft'],
      ['--color-accent-text', '--color-accent-soft'],
      ['--color-text', '--color-failed-soft'],
      ['--color-failed', '--color-failed-soft'],
      ['--color-running', '--color-running-soft'],
      ['--code-text', '--color-selection'],
    ] as const;
    for (const [text, background] of pairs) {
      expect(contrast(tokens.get(text)!, tokens.get(background)!), `${text} on ${background}`).toBeGreaterThanOrEqual(LEAST);
    }
  });
});
