/**
 * From an ANSI style to what is painted. Programs pick fixed colours for a black or a white terminal and can't know which it is: a
 * colour that would be hard to read is moved towards black or white, once for the light and once for the dark theme. Pure.
 */
import type { AnsiColor, AnsiStyle } from './ansi.ts';

type Rgb = readonly [number, number, number];

/** The hardest background of each family of themes: what is readable on these is readable on all of them. */
const LIGHT_BACKGROUND: Rgb = [0xf5, 0xf3, 0xf0];
const DARK_BACKGROUND: Rgb = [0x26, 0x25, 0x23];
/** WCAG AA for text. */
const MIN_CONTRAST = 4.5;
/** Named backgrounds are tints of this strength, so that any named text colour stays readable on them. */
const TINT = '26%';

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** Text in these colours on a named background means "whatever stands out": it takes the page's own colour on a full background. */
const NEUTRAL = new Set([0, 7, 15]);

/** CSS values; undefined leaves what is inherited. */
export interface AnsiPaint {
  color?: string;
  background?: string;
}

export function ansiPaint(style: AnsiStyle): AnsiPaint {
  if (style.inverse) return inversePaint(style);
  if (style.bg === null) return style.fg === null ? {} : { color: textColor(style.fg) };
  if ('rgb' in style.bg) return onFixed(style.fg, style.bg.rgb);
  const background = token(style.bg.named);
  if (style.fg !== null && 'named' in style.fg && NEUTRAL.has(style.fg.named)) return { color: 'var(--color-bg)', background };
  const tint = { background: `color-mix(in srgb, ${background} ${TINT}, transparent)` };
  return style.fg === null || 'rgb' in style.fg ? { ...tint, color: 'var(--color-text)' } : { ...tint, color: token(style.fg.named) };
}

function inversePaint(style: AnsiStyle): AnsiPaint {
  if (style.fg !== null && 'rgb' in style.fg) return onFixed(style.bg, style.fg.rgb);
  const background = style.fg === null ? 'var(--color-text)' : token(style.fg.named);
  return { color: 'var(--color-bg)', background };
}

/** A fixed background is meant as it is (pictures are drawn with it); the text on it is what gives way. */
function onFixed(text: AnsiColor | null, background: Rgb): AnsiPaint {
  const strongest: Rgb = luminance(background) > 0.18 ? [0x1c, 0x1b, 0x1a] : [0xff, 0xff, 0xff];
  const color = text !== null && 'rgb' in text ? readable(text.rgb, background) : strongest;
  return { color: css(color), background: css(background) };
}

function textColor(color: AnsiColor): string {
  if ('named' in color) return token(color.named);
  const light = css(readable(color.rgb, LIGHT_BACKGROUND));
  const dark = css(readable(color.rgb, DARK_BACKGROUND));
  return light === dark ? light : `light-dark(${light}, ${dark})`;
}

function token(named: number): string {
  const name = NAMES[named % 8]!;
  return `var(--ansi-${named >= 8 ? 'bright-' : ''}${name})`;
}

/** The nearest colour on the way to black or white that has enough contrast with the background. */
export function readable(color: Rgb, background: Rgb, ratio = MIN_CONTRAST): Rgb {
  if (contrast(color, background) >= ratio) return color;
  const target = luminance(background) > 0.18 ? 0 : 255;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 8; step += 1) {
    const middle = (low + high) / 2;
    if (contrast(mix(color, target, middle), background) >= ratio) high = middle;
    else low = middle;
  }
  return mix(color, target, high);
}

function mix(color: Rgb, target: number, share: number): Rgb {
  const part = (value: number): number => Math.round(value + (target - value) * share);
  return [part(color[0]), part(color[1]), part(color[2])];
}

/** Contrast ratio, 1..21 (WCAG 2.2). */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance([r, g, b]: Rgb): number {
  const linear = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function css([r, g, b]: Rgb): string {
  return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
