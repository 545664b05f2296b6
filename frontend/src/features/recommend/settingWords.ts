// SPDX-License-Identifier: Apache-2.0
// The names of settings. No DOM.
import type { Factors, FactorValue } from '../../api/types';
import { inSentence, shortLabel } from '../../components/factorWords';
import { setting } from '../../plots/number';
import { type Axis, delayMicroseconds, isDelay, type Layout, positionOn } from '../../state/layout';
import { levelWords, redundant, settingText, shortName } from '../explorer/figure/messages';

/** Where a setting stands in the picture; null where it has no place there. */
export interface Spot {
  readonly x: number | null;
  readonly y: number | null;
}

export function spotOf(layout: Layout, factors: Factors): Spot {
  return {
    x: layout.x && positionOn(layout.x, factors[layout.x.name]),
    y: layout.y && positionOn(layout.y, factors[layout.y.name]),
  };
}

/** By which packets wait beside a delay: names and units that the glossary does not have. */
const WAIT_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  'factor.rx_frames': ['Frames before an interrupt', ''],
  'factor.gro_flush_timeout_ns': ['GRO flush timeout', 'ns'],
  'factor.irq_suspend_timeout_ns': ['IRQ suspend timeout', 'ns'],
  'factor.napi_defer_hard_irqs': ['Deferred interrupts', ''],
};

interface Called {
  readonly name: string;
  readonly label: string;
}

/** "Frames before an interrupt", "Moderation rate": a wait as a control says it. */
const waitName = (axis: Called): string =>
  WAIT_WORDS[axis.name]?.[0] ?? shortName({ ...axis, label: axis.label.replace(/^factor\./, '') });

/** "GRO flush timeout at most 200 000 ns", of a wait that is on no axis, too. */
export function waitLimit(axis: Called & { readonly unit: string }, atMost: number): string {
  const unit = WAIT_WORDS[axis.name]?.[1] ?? axis.unit;
  const words = unit === '' || unit === '1' ? '' : `\u00a0${unit}`;
  return `${waitName(axis)} at most ${setting(atMost)}${words}`;
}

export function axisWords(axis: Axis, value: number, whole: boolean): string {
  const mtu = axis.name === 'mtu_bytes';
  const name = mtu ? 'MTU' : inSentence(shortName(axis));
  const unit = !whole || mtu || axis.names || redundant(axis) ? '' : `\u00a0${axis.unit}`;
  const own = `${name} ${settingText(axis, value)}${unit}`;
  if (!whole || !isDelay(axis.name) || axis.name === 'delay_us' || value === 0) return own;
  const us = delayMicroseconds(axis.name, value);
  return `${own} (${us < 100 ? us.toFixed(1) : us.toFixed(0)}\u00a0µs)`;
}

/** "polling threaded-napi", of a factor that can be chosen and is on no axis. */
function choiceWords({ name, label, unit }: Layout['choices'][number], level: FactorValue, whole: boolean): string {
  const bare = !whole || typeof level !== 'number' || unit === '' || unit === '1';
  const words = shortLabel(name, label.replace(/^factor\./, ''));
  return `${words} ${levelWords(level)}${bare ? '' : `\u00a0${unit}`}`;
}

/** What the setting has of factors that can be chosen and are on no axis. */
export const besideAxes = ({ choices }: Pick<Layout, 'choices'>, factors: Factors): Factors =>
  Object.fromEntries(
    choices.flatMap(({ name, choice }) => (choice && factors[name] !== undefined ? [[name, factors[name]]] : [])),
  );

/** "MTU 4500, delay 120 ticks (122.9 µs)"; short, without the units: "MTU 4500, delay 120". What is held fixed, or nobody sets, goes without saying. */
export function settingName(layout: Layout, factors: Factors, whole = true): string {
  const { x, y } = layout;
  const parts = [y, x].flatMap((axis) => {
    if (!axis || axis.given || axis.levels.length < 2) return [];
    const at = positionOn(axis, factors[axis.name]);
    return at === null ? [] : [axisWords(axis, at, whole)];
  });
  const beside = besideAxes(layout, factors);
  const others = layout.choices.flatMap((factor) =>
    beside[factor.name] === undefined ? [] : [choiceWords(factor, beside[factor.name], whole)],
  );
  return [...parts, ...others].join(', ') || 'the only setting';
}

/** "for offered packet rate 25000 packets/s": what an axis has of the traffic or the host. */
export function givenWords({ x, y }: Layout, where: Factors): string {
  const parts = [y, x].flatMap((axis) => {
    const at = axis?.given && axis.levels.length > 1 ? positionOn(axis, where[axis.name]) : null;
    return axis && at !== null ? [axisWords(axis, at, true)] : [];
  });
  return parts.length > 0 ? ` for ${parts.join(', ')}` : '';
}
