// SPDX-License-Identifier: Apache-2.0
// Quantities in words: axis titles, units, settings.
import type { Quantity } from '../../../api/types';
import { inSentence, levelInWords } from '../../../components/factorWords';
import { setting } from '../../../plots/number';
import { type Axis, delayMicroseconds, isDelay, isNominal, levelAt } from '../../../state/layout';
import type { Subject } from '../../../state/subject';
import type { View } from '../../../state/view';

const PER_GB = ' per 10⁹ bytes';

/** "jiffies/GB" as it is read: GB is 10⁹ bytes here, never 2³⁰. */
export const unitWords = (unit: string): string => unit.replace(/\/GB$/, PER_GB);

/** The unit beside a number whose title already says "per 10⁹ bytes". */
export const shortUnit = (unit: string): string => unit.replace(/\/GB$/, '');

/** The label already says the unit. */
export const redundant = (q: Pick<Quantity, 'label' | 'unit'>): boolean =>
  q.unit === '' ||
  (q.label.startsWith('Thousands') && q.unit.startsWith('k')) ||
  q.label.toLowerCase() === q.unit.replace('/', ' per ');

/** "System CPU time, jiffies per 10⁹ bytes" */
export function titleWithUnit(q: Pick<Quantity, 'label' | 'unit'>): string {
  if (redundant(q)) return q.label;
  const label = q.unit.endsWith('/GB') ? q.label.replace(PER_GB, '') : q.label;
  return `${label}, ${unitWords(q.unit)}`;
}

/** " jiffies", or nothing for a pure number. */
export const unitAfter = (q: Pick<Quantity, 'label' | 'unit'>): string =>
  redundant(q) ? '' : q.unit === '%' ? ' %' : ` ${shortUnit(q.unit)}`;

const AXIS_LABEL: Readonly<Record<string, string>> = { delay_ticks: 'Interrupt delay' };
const AXIS_NAME: Readonly<Record<string, string>> = {
  delay_ticks: 'Delay',
  delay_us: 'Delay',
  moderation_rate_hz: 'Moderation rate',
};

/** A name short enough for a sentence: MTU, delay. */
export function shortName(axis: Pick<Axis, 'name' | 'label'>): string {
  return AXIS_NAME[axis.name] ?? axis.label;
}

export function axisTitle(axis: Axis, brief = false): string {
  const unit = axis.name === 'delay_ticks' ? 'ticks of 1.024 µs' : redundant(axis) ? '' : axis.unit;
  const scale = axis.spacing === 'linear' ? '' : ', log scale';
  return `${brief ? shortName(axis) : (AXIS_LABEL[axis.name] ?? axis.label)}${unit ? `, ${unit}` : ''}${scale}`;
}

/** A setting as a tick says it. */
export const settingText = (axis: Pick<Axis, 'names'>, value: number): string =>
  axis.names ? levelWords(levelAt(axis, value)) : setting(value);

/** Long names end in an ellipsis where there is little room. */
export const cutShort = (words: string, most: number): string =>
  words.length > most ? `${words.slice(0, most - 1)}…` : words;

/** Of the upward axis, above its top end: short, because the setting of the crosshair is beside it. */
export function upwardTitle(axis: Axis, phone: boolean): string {
  const name = axis.name === 'mtu_bytes' ? 'MTU' : shortName(axis);
  const unit = phone || redundant(axis) ? '' : `, ${axis.unit}`;
  return `${name}${unit}${phone || axis.spacing === 'linear' ? '' : ', log scale'}`;
}

/** "80 ticks = 81.9 µs" */
export function settingWords(axis: Axis, value: number): string {
  if (axis.names) return settingText(axis, value);
  const own = `${setting(value)}${axis.unit ? ` ${redundant(axis) ? axis.unit.split('/')[0] : axis.unit}` : ''}`;
  if (!isDelay(axis.name) || axis.name === 'delay_us' || value === 0) return own;
  const us = delayMicroseconds(axis.name, value);
  return `${own} = ${us < 100 ? us.toFixed(1) : us.toFixed(0)} µs`;
}

/** What a subject's cells are called. A table that was opened does not say of which kind it is. */
export function kindWord(subject: Subject): string {
  if (subject.of === 'model') return '';
  return subject.opened ? 'opened' : subject.experiment.kind;
}

/** "MTU 3000" */
export const namedSetting = (axis: Axis, value: number): string =>
  `${axis.name === 'mtu_bytes' ? 'MTU' : inSentence(shortName(axis))} ${settingText(axis, value)}`;

export function levelWords(value: string | number): string {
  return typeof value === 'number' ? setting(value) : levelInWords(value);
}

/** Why no surface and no line can be drawn between the cells of a picture without a model. */
export function whyNothingBetween({ layout, models }: Pick<View, 'layout' | 'models'>): string {
  const model = models.length > 0 ? 'no model is chosen' : 'no model predicts this measure here';
  const named = [layout.x, layout.y].find(isNominal);
  if (!named && layout.shape === 'line') return `${model}, and two settings make no curve`;
  return named
    ? `${model}, and nothing lies between the levels of ${inSentence(shortName(named))}`
    : `${model}, and the design has gaps`;
}
