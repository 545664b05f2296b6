// SPDX-License-Identifier: Apache-2.0
// Which measure, and which cells by the levels of their factors.
import type { Experiment } from '../../api/types';
import { LevelFilter } from '../../components/LevelFilter';
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
        <LevelFilter
          key={name}
          name={name}
          label={label}
          unit={unit}
          levels={levels}
          value={view.where[name] ?? ''}
          onChange={(level) => change({ [name]: level || null })}
        />
      ))}
    </div>
  );
}
