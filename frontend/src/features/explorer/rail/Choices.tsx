// SPDX-License-Identifier: Apache-2.0
// The factors that are no axes: which of their levels is looked at.
import type { Factor, FactorValue } from '../../../api/types';
import { lazyPart } from '../../../components/lazyPart';
import { QuantityName } from '../../../components/QuantityName';
import { withLevel } from '../../../state/explorer';
import { matches } from '../../../state/layout';
import { useExplorer } from '../context';
import { levelWords } from '../figure/messages';
import { Options } from './Options';

/** More levels than this are not listed in the rail. */
const MOST_LISTED = 8;

const LevelPicker = lazyPart('The list of levels', async () => (await import('../axes/LevelPicker')).LevelPicker);

/** A few levels stand in the rail; of many, the chosen one, and a list that can be searched. */
function Levels({ factor }: { factor: Factor }) {
  const { subject, store, schema } = useExplorer();
  const { where } = store.get();
  const cells = subject.of === 'experiment' ? subject.cells : [];
  const count = new Map<FactorValue | undefined, number>();
  const { [factor.name]: _, ...others } = where;
  for (const cell of cells)
    if (matches(cell, others)) count.set(cell.factors[factor.name], (count.get(cell.factors[factor.name]) ?? 0) + 1);
  const options = factor.levels.map((level) => {
    const n = count.get(level) ?? 0;
    const unit = typeof level === 'number' && factor.unit ? ` ${factor.unit}` : '';
    return {
      value: String(level),
      label: levelWords(level) + unit,
      note: `${n} ${n === 1 ? 'cell' : 'cells'}`,
      unavailable: n === 0,
    };
  });
  const choose = (value: string) => {
    const level = factor.levels.find((l) => String(l) === value) ?? value;
    store.set(withLevel(store.get(), factor.name, level, schema));
  };
  const List = options.length > MOST_LISTED ? LevelPicker : Options;
  return <List label={factor.label} value={String(where[factor.name])} options={options} onChange={choose} />;
}

export function Choices() {
  const { subject, view } = useExplorer();
  if (subject.of !== 'experiment') return null;
  return view.layout.choices.map((factor) => (
    <div className="block" key={factor.name}>
      <h2 className="cap">
        <QuantityName name={factor.name}>{factor.label}</QuantityName>
      </h2>
      <Levels factor={factor} />
    </div>
  ));
}
