/** The hues of agents: each can be read as text and as a flag's ground, and no two look alike, also to people who see fewer colours. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_HUES } from '../../../../preload/agent-sessions.ts';

const css = readFileSync(path.join(import.meta.dirname, '../../../../renderer/shell/tokens.css'), 'utf8');
type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear light. */
const SIGHT: Record<string, Matrix> = {
  'all colours': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

function block(theme: string): string {
  return new RegExp(`\\[data-theme=["']${theme}["']\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
}

function token(theme: string, name: string): Rgb {
  const hex = new RegExp(`${name}: #([0-9a-f]{6});`).exec(block(theme))?.[1];
  if (!hex) throw new Error(`${name} is missing in ${theme}.`);
  return [0, 2, 4].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
}

function contrast(a: Rgb, b: Rgb): number {
  const light = ([r, g, bl]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

/** Oklab, in which distances are about as large as they look. */
function oklab([r, g, b]: Rgb): Rgb {
  const [l, m, s] = [
    0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
    0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
    0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
  ].map(Math.cbrt) as unknown as Rgb;
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function seen(color: Rgb, sight: Matrix): Rgb {
  return sight.map((row) => Math.max(0, row[0] * color[0] + row[1] * color[1] + row[2] * color[2])) as unknown as Rgb;
}

describe.each(['light', 'dark', 'high-contrast'])('theme %s', (theme) => {
  const hues = Array.from({ length: AGENT_HUES }, (_, index) => token(theme, `--agent-${index}`));

  it('has hues that can be read on every ground, and the ground on them', () => {
    for (const ground of ['--color-bg', '--color-bg-raised', '--color-bg-sunken'])
      for (const hue of hues) expect(contrast(hue, token(theme, ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(Object.keys(SIGHT))('has hues that differ to people who see %s', (sight) => {
    const looks = hues.map((hue) => oklab(seen(hue, SIGHT[sight]!)));
    looks.forEach((a, index) => {
      for (const b of looks.slice(index + 1)) expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])).toBeGreaterThan(0.05);
    });
  });
});
