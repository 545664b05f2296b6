// SPDX-License-Identifier: Apache-2.0
// The models that are played event by event. This is the only list of them: page, address and tests take them from here.
import { type Slider, slidersOf } from '../../../state/fit';
import type { BundledModel, Catalogue } from '../../../state/models';
import { RULES_OF_DEFERRAL } from './deferral';
import { RULES_OF_IDLE_STATES } from './idle';
import { IMBALANCE } from './imbalance';
import { MERGING } from './merging';
import { PING_PONG } from './pingPong';
import type { Numbers, Rule } from './rule';
import { RULES_OF_TURNS } from './turns';

export const RULES: readonly Rule[] = [
  ...RULES_OF_TURNS,
  ...RULES_OF_DEFERRAL,
  MERGING,
  IMBALANCE,
  ...RULES_OF_IDLE_STATES,
  PING_PONG,
];

export const ruleOf = (model: string | null): Rule | null => RULES.find((rule) => rule.model === model) ?? null;

export function modelOf(catalogue: Catalogue, rule: Rule): BundledModel {
  const model = catalogue.models.find(({ id }) => id === rule.model);
  if (!model) throw new Error(`there is no model ${rule.model}`);
  return model;
}

interface RuleSlider extends Slider {
  readonly whole: boolean;
}

/** What is counted in whole numbers. */
const WHOLE = new Set([
  'connections',
  'merge_packets',
  'moderated_hosts',
  'mtu_bytes',
  'napi_defer_hard_irqs',
  'queues',
  'rx_frames',
  'streams',
  'table_entries',
]);

/** A slider for each input and parameter of the rule's model. */
export function rulersOf(catalogue: Catalogue, rule: Rule): readonly RuleSlider[] {
  const { inputs, parameters } = modelOf(catalogue, rule);
  const terms = [
    ...inputs.map((q) => ({ ...q, start: rule.start[q.name], lo: 0, hi: 1, step: 1 })),
    ...parameters.map((p) => ({ ...p, start: rule.start[p.name] ?? p.default })),
  ].map((term) => {
    const [lo, hi, step] = rule.ranges[term.name] ?? [term.lo, term.hi, term.step];
    return { ...term, lo, hi, step };
  });
  return slidersOf(terms, null, {}).map((slider) => ({
    ...slider,
    domain: [slider.lo, slider.hi],
    whole: WHOLE.has(slider.name),
  }));
}

export const startOf = (catalogue: Catalogue, rule: Rule): Numbers =>
  Object.fromEntries(rulersOf(catalogue, rule).map(({ name, start }) => [name, start]));
