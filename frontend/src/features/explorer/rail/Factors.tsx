// SPDX-License-Identifier: Apache-2.0
// What lies along the axes and in the facets, and how often it was measured.
import { Link } from 'wouter';
import { Icon } from '../../../components/Icon';
import { lazyPart } from '../../../components/lazyPart';
import { QuantityName } from '../../../components/QuantityName';
import { decimal } from '../../../plots/number';
import { swapped } from '../../../state/explorer';
import { type Axis, levelAt } from '../../../state/layout';
import { AxisMenu } from '../axes/AxisMenu';
import { useExplorer } from '../context';
import { rowsShown } from '../figure/live';
import { redundant, settingText, shortName } from '../figure/messages';
import { RangeRuler } from './RangeRuler';

const FacetLevels = lazyPart(
  'The levels of the facets',
  async () => (await import('../facets/FacetLevels')).FacetLevels,
);

function LineChips({ axis }: { axis: Axis }) {
  const { store, view } = useExplorer();
  const shown = [...rowsShown(axis.levels, store.get().lines)];
  const inks = Math.min(axis.levels.length, 5);
  return (
    <div className={axis.levels.length > 12 ? 'chips many' : 'chips'}>
      {axis.levels.map((level, i) => (
        <button
          key={level}
          type="button"
          className={`c${axis.levels.length <= 5 ? i + 1 : Math.round((i * (inks - 1)) / (axis.levels.length - 1)) + 1}`}
          aria-pressed={shown.includes(level)}
          aria-label={`Line of ${view.layout.y?.label ?? ''} ${levelAt(axis, level)}`}
          onClick={() => {
            const next = axis.levels.filter((l) => (l === level ? !shown.includes(l) : shown.includes(l)));
            store.update({ lines: next.length === axis.levels.length ? null : next });
          }}
        >
          {settingText(axis, level)}
        </button>
      ))}
    </div>
  );
}

function AxisRow({ at, axis, chips }: { at: 'x' | 'y'; axis: Axis; chips: boolean }) {
  const { schema, view } = useExplorer();
  const single = axis.levels.length === 1;
  const unit = redundant(axis) ? '' : axis.unit;
  const roomy = !chips && !axis.names && shortName(axis).length + unit.length < 13;
  const tall = !single && !roomy;
  let shown = <RangeRuler axis={axis} />;
  if (single) shown = <em>{settingText(axis, axis.levels[0])}</em>;
  else if (chips) shown = <LineChips axis={axis} />;
  return (
    <div className={tall ? 'factor tall' : 'factor'} data-factor={axis.name}>
      <span>
        {/* an axis that is there alone lies across, whichever it was chosen for */}
        <i className="at">{view.layout.across === at ? 'x' : at}</i>
        {schema.factors.length > 1 ? (
          <AxisMenu at={at} />
        ) : (
          <QuantityName name={axis.name}>{shortName(axis)}</QuantityName>
        )}{' '}
        {unit && <small>{unit}</small>}
      </span>
      {shown}
    </div>
  );
}

export function Factors() {
  const { subject, store, schema, view } = useExplorer();
  const { x, y, shape } = view.layout;
  // what is stored of a cell then is a row, which stands for several runs
  const areMeans = subject.of === 'experiment' && subject.experiment.replicates_label.startsWith('mean');
  const facets = schema.factors.filter((f) => f.levels.length > 1).length > 1;
  return (
    <div className="block">
      <header className="row">
        <h2 className="cap">Factors</h2>
        {x && y && (
          <button type="button" className="quiet small" onClick={() => store.set(swapped(store.get(), schema))}>
            <Icon name="swap" small />
            Swap x and y
          </button>
        )}
      </header>
      {y && <AxisRow at="y" axis={y} chips={shape === 'plane'} />}
      {!y && schema.factors.length > 1 && (
        <div className="factor">
          <span>
            <i className="at">y</i>
            <AxisMenu at="y" />
          </span>
        </div>
      )}
      {x && <AxisRow at="x" axis={x} chips={false} />}
      {facets && (
        <div className="factor">
          <span>Facets</span>
          <AxisMenu at="facet" />
        </div>
      )}
      {view.layout.facet && <FacetLevels />}
      {subject.of === 'experiment' && (
        <div className="factor">
          <span>Replicates</span>
          <em>
            {subject.experiment.replicates_label}
            {areMeans && ' runs each'}
            {subject.experiment.runs > 0 && !subject.opened && (
              <>
                {' · '}
                <Link href={`/experiments/${subject.experiment.slug}/runs`}>
                  {decimal(subject.experiment.runs, 0)} {areMeans ? 'row' : 'run'}
                  {subject.experiment.runs > 1 && 's'}
                </Link>
                {' · '}
                <Link href={`/experiments/${subject.experiment.slug}/replicates`}>spread</Link>
                {' · '}
                <Link href={`/compare?a=${subject.experiment.slug}`}>compare</Link>
              </>
            )}
          </em>
        </div>
      )}
    </div>
  );
}
