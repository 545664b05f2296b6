// SPDX-License-Identifier: Apache-2.0
import type { Side } from '../../api/comparisons';
import { useQuantities } from '../../api/queries';
import type { FactorValue } from '../../api/types';
import { labelOf, levelInWords, shortLabel } from '../../components/factorWords';
import { Notice } from '../../components/Notice';
import { letterOf } from './address';
import type { Apart } from './panels';

/** More than these are chosen above, where the sides are. */
const MOST_PAIRS = 6;

const listed = (levels: readonly FactorValue[]): string => levels.map(levelInWords).join(', ');

/** A side that has no setting in common with the first: why, and what would give them some. */
export function Incomparable(props: {
  place: number;
  sides: readonly Side[];
  apart: Apart | null;
  reason: string;
  onChange: (sides: readonly Side[]) => void;
}) {
  const { place, sides, apart, reason, onChange } = props;
  const quantities = useQuantities().data;
  const [a, b] = [letterOf(0), letterOf(place)];
  const title = `${b} cannot be compared with ${a} like this`;
  if (!apart)
    return (
      <Notice tone="bad" title={title}>
        {reason}
      </Notice>
    );
  const { name, levels } = apart;
  const pairs = levels[0].flatMap((own) => levels[1].map((other) => [own, other] as const)).slice(0, MOST_PAIRS);
  const hold = (at: number, level: FactorValue): Side => ({
    ...sides[at],
    where: { ...sides[at].where, [name]: String(level) },
  });
  return (
    <Notice tone="bad" title={title}>
      They have no setting in common: {shortLabel(name, labelOf(name, quantities))} is {listed(levels[0])} in {a} and{' '}
      {listed(levels[1])} in {b}. If two of these stand for each other, compare{' '}
      {pairs.map(([own, other], k) => (
        <span key={`${own} ${other}`}>
          {k > 0 && (k === pairs.length - 1 ? ' or ' : ', ')}
          <button
            type="button"
            className="inline"
            onClick={() =>
              onChange(sides.map((side, at) => (at === 0 ? hold(0, own) : at === place ? hold(at, other) : side)))
            }
          >
            {levelInWords(own)} with {levelInWords(other)}
          </button>
        </span>
      ))}
      .
    </Notice>
  );
}
