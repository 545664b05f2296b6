// SPDX-License-Identifier: Apache-2.0
import type { Side } from '../../api/comparisons';
import { useQuantities } from '../../api/queries';
import { labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { letterOf } from './address';
import type { StandIn } from './standIns';

/** More than these are chosen above, where the sides are. */
const MOST_OTHERS = 6;

const levelsWords = (where: StandIn['where']): string => Object.values(where).map(levelInWords).join(', ');

/** Which workload is shown of a side that was held to none, and which others could be. */
export function StandIns(props: {
  standIns: readonly StandIn[];
  sides: readonly Side[];
  onChange: (sides: readonly Side[]) => void;
}) {
  const { standIns, sides, onChange } = props;
  const quantities = useQuantities().data;
  const hold = (place: number, where: StandIn['where']) =>
    onChange(sides.map((side, k) => (k === place ? { ...side, where: { ...side.where, ...where } } : side)));
  return standIns.map(({ place, where, others }) => {
    const offered = others.slice(0, MOST_OTHERS);
    const names = Object.keys(where).map((name) => shortLabel(name, labelOf(name, quantities)));
    return (
      <p key={place} className="said stand-in">
        The sides have no {names.join(' and no ')} in common: of {letterOf(place)}, <b>{levelsWords(where)}</b> is
        shown.
        {offered.length > 0 && ' Show instead '}
        {offered.map((other, k) => (
          <span key={levelsWords(other)}>
            {k > 0 && (k === offered.length - 1 ? ' or ' : ', ')}
            <button type="button" className="inline" onClick={() => hold(place, other)}>
              {levelsWords(other)}
            </button>
          </span>
        ))}
        {offered.length > 0 && '.'}
      </p>
    );
  });
}
