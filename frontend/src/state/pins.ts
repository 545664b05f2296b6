// SPDX-License-Identifier: Apache-2.0
// Parameter sets that were pinned, to be drawn beside the current one, and how an address says them: pin=Name*alpha:0.8,beta:0.3

export interface Pin {
  readonly name: string;
  /** Every parameter of the model it was made with. */
  readonly values: Readonly<Record<string, number>>;
}

export const MOST_PINS = 4;
export const LONGEST_NAME = 32;

/** "A", "B": what stands beside a pin's lines; its place in the list. */
export const pinLetter = (i: number): string => String.fromCharCode(65 + i);

/** As an address says it. */
export const short = (value: number): number => Number(value.toPrecision(6));

const numbers = (values: Pin['values']): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');

export const pinText = (pin: Pin): string => `${pin.name}*${numbers(pin.values)}`;

export interface Bounds {
  readonly name: string;
  readonly lo: number;
  readonly hi: number;
}

function settingIn(text: string, { name, lo, hi }: Bounds): number | string {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return `has no number for ${name}`;
  return value < lo || value > hi ? `has ${name} not between ${lo} and ${hi}` : value;
}

/** A pin from an address, or why it is none. It names every parameter of the model, and nothing else. */
export function readPin(text: string, sliders: readonly Bounds[]): Pin | string {
  const star = text.lastIndexOf('*');
  if (star < 0) return 'has no parameters';
  const name = text.slice(0, star).trim();
  if (name === '' || name.length > LONGEST_NAME) return `needs a name of 1 to ${LONGEST_NAME} letters`;
  const said = new Map(
    text
      .slice(star + 1)
      .split(',')
      .map((part) => [part.split(':')[0], part.split(':')[1] ?? '']),
  );
  const values: Record<string, number> = {};
  for (const slider of sliders) {
    const value = settingIn(said.get(slider.name) ?? '', slider);
    if (typeof value === 'string') return value;
    values[slider.name] = value;
    said.delete(slider.name);
  }
  const [unknown] = said.keys();
  return unknown === undefined ? { name, values } : `names ${unknown}, which this model does not have`;
}

/** Whether a pin speaks of these parameters and no others: after a change of the model it may not. */
export function suits(pin: Pin, sliders: readonly { readonly name: string }[]): boolean {
  return Object.keys(pin.values).length === sliders.length && sliders.every(({ name }) => name in pin.values);
}

/** Whether it could be made of these parameters, bounds and all. */
export const fits = (pin: Pin, sliders: readonly Bounds[]): boolean =>
  suits(pin, sliders) && sliders.every(({ name, lo, hi }) => pin.values[name] >= lo && pin.values[name] <= hi);

/** The first name that is not taken: "Pin 2". */
export function freeName(pins: readonly Pin[], start: string): string {
  if (!pins.some((p) => p.name === start)) return start;
  for (let n = 2; ; n++) if (!pins.some((p) => p.name === `${start} ${n}`)) return `${start} ${n}`;
}
