// SPDX-License-Identifier: Apache-2.0
// What is played: the receiver, or the rule of one model; and the settings of a rule.

import { Link } from 'wouter';
import { Section } from '../../components/Section';
import { catalogue, modelById } from '../../engine/catalogue';
import { decimal } from '../../plots/number';
import type { Played } from './address';
import { Ruler } from './Ruler';
import { RULES, ruleOf, rulersOf, startOf } from './rules/rules';

const startAt = (model: string): Played | undefined => {
  const rule = ruleOf(model);
  return rule ? { model, values: startOf(catalogue, rule) } : undefined;
};

export function Chooser({ model, onChoose }: { model: string; onChoose: (played: Played | undefined) => void }) {
  return (
    <label className="chooser">
      Played
      <select value={model} onChange={(event) => onChoose(startAt(event.target.value))}>
        <option value="">A receiver, from the wire to the application</option>
        <optgroup label="The rule of one model, beside its formulas">
          {RULES.map((rule) => (
            <option key={rule.model} value={rule.model}>
              {modelById(rule.model)?.title}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

export function RuleStory({ model }: { model: string }) {
  return (
    <div className="presets">
      <p className="story">
        {ruleOf(model)?.story} <Link href={`/models/${model}/about`}>What the model takes for granted</Link>
      </p>
    </div>
  );
}

export function RuleControls(props: {
  played: Played;
  seed: number;
  onPlayed: (played: Played) => void;
  onSeed: (seed: number) => void;
}) {
  const { played, seed, onPlayed, onSeed } = props;
  const rule = ruleOf(played.model);
  if (!rule) return null;
  const many = rule.many(played.values);
  return (
    <Section title="Settings">
      <div className="row">
        <span className="note">
          {decimal(many, 0)} {rule.counts} are played, with seed {decimal(seed, 0)}. What another draw changes is
          chance, and what stays apart is the model.
        </span>
        <button type="button" className="quiet small" onClick={() => onSeed((seed + 1) % 2 ** 32)}>
          Draw others
        </button>
      </div>
      <div className="params rulesettings">
        {rulersOf(catalogue, rule).map((slider) => (
          <Ruler
            key={slider.name}
            control={slider}
            value={played.values[slider.name]}
            onValue={(value) => onPlayed({ ...played, values: { ...played.values, [slider.name]: value } })}
          />
        ))}
      </div>
    </Section>
  );
}
