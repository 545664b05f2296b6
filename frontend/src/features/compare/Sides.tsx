// SPDX-License-Identifier: Apache-2.0
import type { Side } from '../../api/comparisons';
import { useExperiment, useExperiments, useQuantities } from '../../api/queries';
import type { ExperimentSummary, Factor, FactorValue } from '../../api/types';
import { shortLabel } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { LevelFilter } from '../../components/LevelFilter';
import { knownIn } from '../../state/levels';
import { letterOf, MOST } from './address';
import type { StandIn } from './standIns';

/** Levels that a side can be held to. */
function chosenFrom(factors: readonly Factor[]): Factor[] {
  return factors.filter(({ levels }) => levels.length > 1);
}

/** What was picked besides a level that nobody chose. */
function besides(level: string | undefined, picked: string, levels: readonly FactorValue[]): string {
  if (level === undefined || picked === '') return picked;
  return knownIn(picked, levels)[0]
    .filter((each) => String(each) !== level)
    .join();
}

function Levels(props: { side: Side; standIn: StandIn | undefined; onChange: (side: Side) => void }) {
  const { side, standIn, onChange } = props;
  const experiment = useExperiment(side.slug).data;
  const quantities = useQuantities().data;
  return chosenFrom(experiment?.factors ?? []).map(({ name, label, levels }) => {
    const unit = quantities?.find((quantity) => quantity.name === name)?.unit;
    const stand = standIn?.where[name];
    return (
      <LevelFilter
        key={name}
        name={name}
        label={shortLabel(name, label)}
        unit={unit}
        levels={levels}
        value={stand ?? side.where[name] ?? ''}
        notAll={stand !== undefined}
        onChange={(picked) => {
          const level = besides(stand, picked, levels);
          const { [name]: _, ...others } = side.where;
          onChange({ ...side, where: level === '' ? others : { ...others, [name]: level } });
        }}
      />
    );
  });
}

function OneSide(props: {
  place: number;
  side: Side;
  standIn: StandIn | undefined;
  experiments: readonly ExperimentSummary[];
  onChange: (side: Side) => void;
  onRemove?: () => void;
}) {
  const { place, side, standIn, experiments, onChange, onRemove } = props;
  const letter = letterOf(place);
  const own = experiments.find(({ slug }) => slug === side.slug);
  return (
    <fieldset className="side">
      <legend>
        <b>{letter}</b> {own && <Kind kind={own.kind} />}
        <svg className="dash" viewBox="0 0 32 4" aria-hidden="true">
          <path d="M0 2H32" className={`dash-${place}`} />
        </svg>
      </legend>
      <label className="field which">
        Experiment
        <select value={side.slug} onChange={(event) => onChange({ slug: event.currentTarget.value, where: {} })}>
          {!own && <option value={side.slug}>{side.slug}</option>}
          {experiments.map(({ slug, title }) => (
            <option key={slug} value={slug}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Levels side={side} standIn={standIn} onChange={onChange} />
      {onRemove && (
        <button type="button" className="quiet small" onClick={onRemove} aria-label={`Remove ${letter}`}>
          <Icon name="bad" small /> Remove
        </button>
      )}
    </fieldset>
  );
}

/** What is compared, side by side; each can be held to levels of its own. */
export function Sides(props: {
  sides: readonly Side[];
  standIns: readonly StandIn[];
  onChange: (sides: readonly Side[]) => void;
}) {
  const { sides, standIns, onChange } = props;
  const experiments = useExperiments().data ?? [];
  const put = (place: number, side: Side) => onChange(sides.map((each, k) => (k === place ? side : each)));

  function add() {
    const last = sides.at(-1);
    const other = experiments.find(({ slug, cells }) => cells > 0 && sides.every((side) => side.slug !== slug));
    const next = sides.length === 0 ? experiments[0] : (other ?? experiments.find(({ slug }) => slug === last?.slug));
    if (next) onChange([...sides, { slug: next.slug, where: {} }]);
  }

  return (
    <div className="sides">
      {sides.map((side, place) => (
        <OneSide
          // biome-ignore lint/suspicious/noArrayIndexKey: a side is its letter
          key={place}
          place={place}
          side={side}
          standIn={standIns.find((each) => each.place === place)}
          experiments={experiments}
          onChange={(next) => put(place, next)}
          onRemove={sides.length > 1 ? () => onChange(sides.filter((_, k) => k !== place)) : undefined}
        />
      ))}
      {sides.length < MOST && (
        <button type="button" className="quiet" onClick={add} disabled={experiments.length === 0}>
          <Icon name="plus" /> Add {sides.length === 0 ? 'an experiment' : letterOf(sides.length)}
        </button>
      )}
    </div>
  );
}
