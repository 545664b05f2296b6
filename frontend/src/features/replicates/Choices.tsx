// SPDX-License-Identifier: Apache-2.0
// Which measure, and which cells by the levels of their factors.
import type { Experiment } from '../../api/types';
import { levelInWords } from '../../components/factorWords';
import type { Change, Chosen } from './chosen';

export function Choices(props: { experiment: Experiment; view: Chosen; change: Change }) {
  const { experiment, view, change } = props;
  const varied = experiment.factors.filter(({ levels }) => levels.length > 1);
  return (
    <div className="choices">
      <label className="field">
        Measure
        <select value={view.measure} onChange={(event) => change({ measure: event.currentTarget.value })}>
          {experiment.measures.map(({ name, label, unit }) => (
            <option key={name} value={name}>
              {label}
              {unit && unit !== '1' ? `, ${unit}` : ''}
            </option>
          ))}
        </select>
      </label>
      {varied.map(({ name, label, unit, levels }) => (
        <label key={name} className="field">
          <span data-quantity={name}>{label}</span>
          <select
            value={String(view.where[name] ?? '')}
            onChange={(event) => change({ [name]: event.currentTarget.value || null })}
          >
            <option value="">all {levels.length}</option>
            {levels.map((level) => (
              <option key={String(level)} value={String(level)}>
                {levelInWords(level)} {unit && unit !== '1' ? unit : ''}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}
