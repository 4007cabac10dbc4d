/** Amounts in words, the same wherever an output names one. */

/** Made once: making one costs more than a thousand uses, and live streams count with each frame. */
const NUMBERS = new Intl.NumberFormat('en-US');

export function countWords(count: number, one: string, many = `${one}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? one : many}`;
}

/** Decimal units, as file managers show them. */
export function byteWords(bytes: number): string {
  if (bytes < 1000) return countWords(bytes, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let amount = bytes / 1000;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${units[unit]}`;
}
