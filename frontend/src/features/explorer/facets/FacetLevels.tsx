// SPDX-License-Identifier: Apache-2.0
// Which levels of the facet stand side by side.
import type { FactorValue } from '../../../api/types';
import { withFacetLevels } from '../../../state/facetLevels';
import { useExplorer } from '../context';
import { levelWords } from '../figure/messages';

export function FacetLevels() {
  const { schema, store, view } = useExplorer();
  const state = store.get();
  const { facet } = view.layout;
  const all = schema.factors.find(({ name }) => name === facet?.name)?.levels ?? [];
  if (!facet) return null;
  const chosen = state.where[facet.name];
  const show = (levels: readonly FactorValue[]) => store.set(withFacetLevels(store.get(), levels, schema));
  const isShown = (level: FactorValue) => facet.levels.includes(level);
  const alone = facet.levels.length === 1;
  const toggled = (level: FactorValue) => all.filter((each) => (each === level) !== isShown(each));
  const words = (level: FactorValue) =>
    `${levelWords(level)}${typeof level === 'number' && facet.unit ? ` ${facet.unit}` : ''}`;
  return (
    <div className="facetlevels">
      <div
        className={all.length > 12 ? 'chips many' : 'chips'}
        role="group"
        aria-label={`Levels side by side: ${facet.label}`}
      >
        {all.map((level) => (
          <button
            key={`${typeof level} ${level}`}
            type="button"
            aria-pressed={isShown(level)}
            // one is always drawn
            disabled={alone && isShown(level)}
            onClick={() => show(toggled(level))}
          >
            {words(level)}
          </button>
        ))}
      </div>
      <p>
        <span>
          {facet.levels.length} of {all.length}
        </span>
        <button type="button" className="quiet small" disabled={alone} onClick={() => show([chosen])}>
          Only the chosen one
        </button>
        <button
          type="button"
          className="quiet small"
          disabled={facet.levels.length === all.length}
          onClick={() => show(all)}
        >
          All
        </button>
      </p>
    </div>
  );
}
