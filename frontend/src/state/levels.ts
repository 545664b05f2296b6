// SPDX-License-Identifier: Apache-2.0
// Several levels of a factor in one text, as addresses and the server take them: joined by commas. No DOM.
import type { FactorValue } from '../api/types';

/** The levels that a text means, in their order: a level as it is, or several; and what of it is none. */
export function knownIn(
  text: string,
  levels: readonly FactorValue[],
): readonly [readonly FactorValue[], readonly string[]] {
  const whole = levels.find((level) => String(level) === text);
  if (whole !== undefined) return [[whole], []];
  const asked = new Set(text.split(','));
  const found = levels.filter((level) => asked.delete(String(level)));
  return [found, [...asked]];
}

/** The same; `null` where one of them is none. */
export function levelsIn(text: string, levels: readonly FactorValue[]): readonly FactorValue[] | null {
  const [found, missing] = knownIn(text, levels);
  return missing.length === 0 ? found : null;
}

/** The opposite. Of all levels, and of none, '': nothing is chosen by. */
export const levelsText = (chosen: readonly FactorValue[], levels: readonly FactorValue[]): string =>
  chosen.length === levels.length ? '' : chosen.join();

/** A level that has a comma cannot be told from two: it is chosen alone. */
export const goesAlone = (level: FactorValue): boolean => String(level).includes(',');

/** The text after a level was added, or taken out. */
export function withToggled(text: string, level: FactorValue, levels: readonly FactorValue[]): string {
  const now = text === '' ? [] : knownIn(text, levels)[0];
  if (now.includes(level))
    return levelsText(
      now.filter((each) => each !== level),
      levels,
    );
  if (goesAlone(level)) return String(level);
  const next = levels.filter((each) => each === level || (now.includes(each) && !goesAlone(each)));
  return levelsText(next, levels);
}

/** Whether runs of one level only are left. */
export const isOneLevel = (text: string | undefined, levels: readonly FactorValue[]): boolean =>
  text !== undefined && levelsIn(text, levels)?.length === 1;
