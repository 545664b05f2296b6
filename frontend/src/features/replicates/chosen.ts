// SPDX-License-Identifier: Apache-2.0
// What the page of the replicates is of: its measure, its cells, and how well they are wanted to be known.
import { useSearchParams } from 'wouter';
import type { Experiment } from '../../api/types';
import { isOneLevel, levelsIn, levelsText } from '../../state/levels';
import { leftOutOf } from '../../state/url';

/** Half widths that can be wanted of an interval, in per cent of the mean. */
export const WIDTHS = [1, 2, 5, 10, 20];
const WIDTH = 5;

type Where = Readonly<Record<string, string>>;

export interface Chosen {
  readonly measure: string | undefined;
  /** Levels by factor, several joined by commas. */
  readonly where: Where;
  readonly width: number;
  readonly without: readonly string[];
}

/** Parameters of the address to set, or to leave out where they are null. */
export type Change = (next: Readonly<Record<string, string | null>>) => void;

/** What is looked at, from the address: `?measure=drops&workload=udp,tcp&width=10&without=ID`. */
export function useChosen(experiment: Experiment | undefined): [Chosen, Change] {
  const [params, setParams] = useSearchParams();
  const measures = experiment?.measures.map(({ name }) => name) ?? [];
  const asked = params.get('measure');
  const fallback = experiment?.default_view?.measure ?? measures[0];
  const where = Object.fromEntries(
    (experiment?.factors ?? []).flatMap(({ name, levels }) => {
      const asked = levelsIn(params.getAll(name).join(), levels);
      const text = asked === null ? '' : levelsText(asked, levels);
      return text === '' ? [] : [[name, text]];
    }),
  );
  const width = Number(params.get('width'));
  const view = {
    measure: asked !== null && measures.includes(asked) ? asked : fallback,
    where,
    width: WIDTHS.includes(width) ? width : WIDTH,
    without: leftOutOf(params.toString()),
  };
  const change = (next: Record<string, string | null>) =>
    setParams(
      (now) => {
        const to = new URLSearchParams(now);
        for (const [name, value] of Object.entries(next)) {
          if (value === null) to.delete(name);
          else to.set(name, value);
        }
        return to;
      },
      { replace: true },
    );
  return [view, change];
}

/** Factors that vary in the chosen cells. */
export const freeOf = ({ factors }: Experiment, where: Where) =>
  factors.filter(({ name, levels }) => levels.length > 1 && !isOneLevel(where[name], levels));

/** The two factors that the analysis is of: those that vary in the chosen cells, numbers first. */
export function twoOf(experiment: Experiment, where: Where): string[] {
  const free = freeOf(experiment, where);
  const numeric = free.filter(({ levels }) => levels.every((level) => typeof level === 'number'));
  return [...new Set([...numeric, ...free])].slice(0, 2).map(({ name }) => name);
}
