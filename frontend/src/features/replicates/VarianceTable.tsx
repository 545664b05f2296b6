// SPDX-License-Identifier: Apache-2.0
// What moves a measure, and what is chance: the analysis of variance, and why there may be none.
import { Fragment } from 'react';
import { ApiError, reasonOf } from '../../api/errors';
import { useQuantities } from '../../api/queries';
import type { Experiment, Variance } from '../../api/types';
import { labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { brief, decimal } from '../../plots/number';
import type { Change } from './chosen';
import { chance, varianceWords } from './messages';

export function VarianceTable({ variance }: { variance: Variance }) {
  const quantities = useQuantities().data;
  // the last of the effects is chance, and no quantity
  const isQuantity = (name: string) => quantities?.some((quantity) => quantity.name === name) ?? false;
  const named = (name: string) =>
    name.split(' × ').map((each, k) => (
      <Fragment key={each}>
        {k > 0 && ' × '}
        {isQuantity(each) ? (
          <QuantityName name={each}>{labelOf(each, quantities)}</QuantityName>
        ) : (
          labelOf(each, quantities)
        )}
      </Fragment>
    ));
  return (
    <>
      <p className="said">{varianceWords(variance, (name) => labelOf(name, quantities))}</p>
      <ScrollRegion tall label="Analysis of variance">
        <table className="list spreads">
          <thead>
            <tr>
              <th scope="col">Effect of</th>
              <th scope="col" className="n">
                Share of variation <small>%</small>
              </th>
              <th scope="col" className="n">
                Degrees of freedom
              </th>
              <th scope="col" className="n">
                F
              </th>
              <th scope="col" className="n">
                By chance <small>p</small>
              </th>
            </tr>
          </thead>
          <tbody>
            {variance.effects.map((effect) => (
              <tr key={effect.name}>
                <th scope="row">{named(effect.name)}</th>
                <td className="n value">{brief(effect.share_percent, 3)}</td>
                <td className="n">{decimal(effect.degrees_of_freedom, 0)}</td>
                <td className="n">{effect.f === null ? '–' : brief(effect.f, 4)}</td>
                <td className="n">{effect.f === null && effect.p_value === null ? '–' : chance(effect.p_value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="note">
        Two factors with their interaction, sums of squares of type II, over {decimal(variance.n, 0)} runs
        {variance.left_out > 0 && `; ${variance.left_out} without the measure are left out`}.
      </p>
    </>
  );
}

/** Levels of a factor that stand in a sentence; the others are in its list above. */
const MOST_IN_SENTENCE = 6;

/** Why nothing is analysed. Of a third factor that varies, one level is a press away. */
export function NoVariance(props: { error: Error; experiment: Experiment; pair: readonly string[]; change: Change }) {
  const { error, experiment, pair, change } = props;
  const quantities = useQuantities().data;
  const third =
    error instanceof ApiError && error.code === 'factors_vary'
      ? experiment.factors.find(({ name }) => name === error.where.field)
      : undefined;
  if (!third) return <p className="said">{reasonOf(error)}</p>;
  const short = (name: string) => shortLabel(name, labelOf(name, quantities));
  return (
    <p className="said">
      Besides {pair.map(short).join(' and ')}, the {short(third.name)} varies, and its effect would count as chance.
      Choose one:{' '}
      {third.levels.slice(0, MOST_IN_SENTENCE).map((level) => (
        <Fragment key={String(level)}>
          <button type="button" className="inline" onClick={() => change({ [third.name]: String(level) })}>
            {levelInWords(level)}
          </button>{' '}
        </Fragment>
      ))}
      {third.levels.length > MOST_IN_SENTENCE && 'or another above.'}
    </p>
  );
}
