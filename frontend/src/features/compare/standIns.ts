// SPDX-License-Identifier: Apache-2.0
// Which workload of one side stands for that of another, where they have none in common. No DOM.
import type { Side } from '../../api/comparisons';
import type { Cell, Factors } from '../../api/types';
import { apartFactors, differingIn } from './panels';

type Levels = Readonly<Record<string, string>>;

/** Cells of a side that have one level each of what it lies apart in. */
interface Group {
  readonly where: Levels;
  readonly cells: readonly Cell[];
}

/** A side that is shown at levels which nobody chose. */
export interface StandIn {
  readonly place: number;
  readonly where: Levels;
  /** What has settings in common with the first side too. */
  readonly others: readonly Levels[];
}

export interface Shown {
  readonly sides: readonly Side[];
  readonly cells: readonly (readonly Cell[])[];
  readonly standIns: readonly StandIn[];
}

/** Names stand for each other; delays or MTUs that differ are other settings. */
const namesApart = (a: readonly Cell[], b: readonly Cell[]): string[] =>
  apartFactors(a, b)
    .filter(({ levels }) => levels.flat().every((level) => typeof level === 'string'))
    .map(({ name }) => name);

const isAt =
  (where: Levels) =>
  ({ factors }: Cell): boolean =>
    Object.entries(where).every(([name, level]) => String(factors[name]) === level);

function groupsOf(cells: readonly Cell[], names: readonly string[]): Group[] {
  const named = cells.filter(({ factors }) => names.every((name) => name in factors));
  const keys = new Set(named.map(({ factors }) => JSON.stringify(names.map((name) => [name, factors[name]]))));
  return [...keys].sort().map((key) => {
    const where: Levels = Object.fromEntries(JSON.parse(key));
    return { where, cells: named.filter(isAt(where)) };
  });
}

const wordsOf = ({ where }: Group): string[] => Object.values(where).flatMap((level) => level.split(/[^a-z0-9]+/i));

function settingsInCommon(a: Group, b: Group): number {
  const differing = differingIn([a, b]);
  const keyOf = (factors: Factors): string =>
    JSON.stringify(
      Object.entries(factors)
        .filter(([name]) => !differing.includes(name))
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  const own = new Set(a.cells.map(({ factors }) => keyOf(factors)));
  return b.cells.filter(({ factors }) => own.has(keyOf(factors))).length;
}

interface Pair {
  readonly a: Group;
  readonly b: Group;
}

/** Groups with settings in common: those with a word in common first, of them those with most settings. */
function pairsOf(a: readonly Cell[], b: readonly Cell[]): Pair[] {
  const names = namesApart(a, b);
  if (names.length === 0) return [];
  const theirs = groupsOf(b, names);
  const pairs = groupsOf(a, names).flatMap((own) =>
    theirs.map((other) => {
      const words = new Set(wordsOf(own));
      const alike = wordsOf(other).filter((word) => words.has(word)).length;
      return { a: own, b: other, alike, settings: settingsInCommon(own, other) };
    }),
  );
  return pairs
    .filter(({ settings }) => settings > 0)
    .sort((one, other) => other.alike - one.alike || other.settings - one.settings);
}

/**
 * The sides as they are shown: one that has no workload in common with the first is held to that which suits it best.
 * What was chosen stays chosen.
 */
export function shownSides(
  sides: readonly Side[],
  cells: readonly (readonly Cell[])[],
  measure: string | undefined,
): Shown {
  const shown = [...sides];
  const known = [...cells];
  const standIns: StandIn[] = [];
  const measured = (place: number) =>
    known[place].filter(({ measures }) => measure !== undefined && measure in measures);
  const varies = (place: number, where: Levels) => !known[place].every(isAt(where));
  const isChosen = (place: number, where: Levels) => Object.keys(where).some((name) => name in sides[place].where);

  for (let place = 1; place < sides.length; place++) {
    const pairs = pairsOf(measured(0), measured(place));
    if (pairs.length === 0) continue;
    const { a, b } = pairs[0];
    const held = [
      {
        at: 0,
        where: a.where,
        others: pairs.filter((pair) => pair.b === b && pair.a !== a).map((pair) => pair.a.where),
      },
      {
        at: place,
        where: b.where,
        others: pairs.filter((pair) => pair.a === a && pair.b !== b).map((pair) => pair.b.where),
      },
    ].filter(({ at, where }) => varies(at, where));
    if (held.some(({ at, where }) => isChosen(at, where))) continue;
    for (const { at, where, others } of held) {
      shown[at] = { ...shown[at], where: { ...shown[at].where, ...where } };
      known[at] = known[at].filter(isAt(where));
      standIns.push({ place: at, where, others });
    }
  }
  return { sides: shown, cells: known, standIns };
}
