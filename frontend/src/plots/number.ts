// SPDX-License-Identifier: Apache-2.0
// Numbers as the page writes them: a true minus sign, thin spaces from five digits on, powers of ten where those would fill a line.

const THIN = '\u2009';
const MINUS = '\u2212';

function grouped(digits: string): string {
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** With all its digits, however many these are. */
export function inFull(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(digits);
  const [whole, part] = text.split('.');
  const sign = value < 0 && Number(text) !== 0 ? MINUS : '';
  return sign + grouped(whole) + (part === undefined ? '' : `.${part}`);
}

/** "10¹²", "10⁻⁹" */
export const tenTo = (exponent: number): string =>
  `10${[...String(exponent)].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? '⁻').join('')}`;

/** From here on nobody counts digits, and no column holds them. */
const HUGE = 1e10;
const isHuge = (value: number): boolean => Number.isFinite(value) && Math.abs(value) >= HUGE;

/** "6.169 × 10¹²" */
function scientific(value: number, significant: number): string {
  const [mantissa, exponent] = value.toExponential(significant - 1).split('e');
  return `${mantissa.replace(/\.?0+$/, '').replace('-', MINUS)}\u00a0×\u00a0${tenTo(Number(exponent))}`;
}

const HUGE_SIGNIFICANT = 5;

export function decimal(value: number, digits: number): string {
  return isHuge(value) ? scientific(value, HUGE_SIGNIFICANT) : inFull(value, digits);
}

/** A number, or of a code what it stands for. */
export function worded(value: number, digits: number, meanings: readonly string[] = []): string {
  return meanings[value] ?? decimal(value, digits);
}

/** Decimals that show about three digits of what changes over `span`. */
export function digitsFor(span: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 2;
  return Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(span))));
}

/** Decimals at which a half interval ends: its first digit, or its first two where that is a one. */
export function digitsOfHalf(half: number): number {
  const power = Math.floor(Math.log10(half));
  return Math.max(0, Math.min(8, half / 10 ** power < 2 ? 1 - power : -power));
}

/** A mean and half its interval, each with the digits of this interval; without one, as many as the column has, and three that count. */
export function withHalf(mean: number, half: number | null, digits: number): { mean: string; half: string | null } {
  if (half !== null && half > 0) {
    const own = digitsOfHalf(half);
    return { mean: decimal(mean, own), half: `± ${decimal(half, own)}` };
  }
  const significant = mean === 0 || !Number.isFinite(mean) ? digits : 2 - Math.floor(Math.log10(Math.abs(mean)));
  const most = Math.min(digits + 2, Math.max(digits, significant));
  return { mean: decimal(mean, most), half: half === null ? null : '± 0' };
}

/** Decimals that a step of an axis needs. */
export function digitsOfStep(step: number): number {
  if (!(step > 0)) return 0;
  for (let d = 0; d < 10; d++)
    if (Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6 * step * 10 ** d) return d;
  return 10;
}

function trimmed(value: number, significant: number): string {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? '0' : '–';
  const rounded = Number(value.toPrecision(significant));
  const digits = Math.max(0, Math.min(12, significant - 1 - Math.floor(Math.log10(Math.abs(rounded)))));
  const text = inFull(rounded, digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** As short as it can be said, to `significant` digits: ticks, counts, shares. */
export function brief(value: number, significant = 4): string {
  return isHuge(value) ? scientific(value, significant) : trimmed(value, significant);
}

/** Of a setting, wherever it stands: one that reads 33.33 here and 33.3 there looks like two. */
const SIGNIFICANT = 4;

/** A setting: its whole part in full and without spaces, because settings are looked up rather than compared; 16384 is not 16380. */
export function setting(value: number): string {
  const whole = Math.abs(value) < 1 ? 0 : Math.floor(Math.log10(Math.abs(value))) + 1;
  return trimmed(value, Math.max(SIGNIFICANT, Math.min(15, whole))).replaceAll(THIN, '');
}

/** Beyond this ratio of the largest to the smallest, one number of decimals does not suit a column. */
const WIDEST = 1000;

/** Numbers of one column or list, with as many decimals each: those that the largest needs for `significant` digits, fewer if all end in zeros. */
export function alike(values: readonly (number | null | undefined)[], significant = 4): (value: number) => string {
  const known = values.filter((v): v is number => typeof v === 'number' && Number.isFinite(v) && v !== 0);
  const sizes = known.map(Math.abs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (known.length === 0 || most > WIDEST * least) return (value) => brief(value, significant);
  let digits = Math.max(0, Math.min(12, significant - 1 - Math.floor(Math.log10(most))));
  while (digits > 0 && known.every((v) => v.toFixed(digits).endsWith('0'))) digits -= 1;
  return (value) => decimal(value, digits);
}
