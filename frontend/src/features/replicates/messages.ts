// SPDX-License-Identifier: Apache-2.0
// Replicates, variance and plan in plain words. No DOM.
import type { ReplicatedCell, Replicates, ReplicationPlan, Variance } from '../../api/types';
import { brief } from '../../plots/number';

const SURE = 0.05;
const PERHAPS = 0.001;

export function chance(p: number | null): string {
  if (p === null) return 'not tested';
  if (p < PERHAPS) return 'less than 0.001';
  return p.toFixed(3);
}

/** What moves the measure, the most first, and how much is chance. */
export function varianceWords({ effects, message }: Variance, labelOf: (name: string) => string): string {
  const named = effects.map((effect) => ({ ...effect, label: effect.name.split(' × ').map(labelOf).join(' with ') }));
  const rest = named.at(-1);
  const moving = named
    .slice(0, -1)
    .filter(({ p_value: p }) => p === null || p < SURE)
    .sort((a, b) => b.share_percent - a.share_percent);
  const said = moving.map(({ label, share_percent: share, name }) =>
    name.includes(' × ')
      ? `${label} together, beyond each alone, ${brief(share, 3)} %`
      : `${label} ${brief(share, 3)} %`,
  );
  const unsure = named.slice(0, -1).filter(({ p_value: p }) => p !== null && p >= SURE);
  return [
    said.length > 0 ? `Of all variation, ${said.join(', ')}.` : 'Neither factor moves it beyond chance.',
    rest && rest.degrees_of_freedom > 0 && `Chance between replicates accounts for ${brief(rest.share_percent, 3)} %.`,
    unsure.length > 0 && said.length > 0 && `${unsure.map(({ label }) => label).join(' and ')}: no more than chance.`,
    message,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether the intervals may take the replicates for independent. */
export function independenceWords(found: Replicates['independence']): string {
  if (found === null) return '';
  return found.reason ?? 'Nothing in their sequence speaks against taking them for independent.';
}

/** Past this the server says that replicates may not suffice. */
const ENDLESS = 10_000;

export function planWords({ runs_to_add: more, cells, width_percent: width }: ReplicationPlan): string {
  const needy = cells.filter((cell) => cell.more > 0);
  const hopeless = cells.filter(({ needed }) => needed >= ENDLESS).length;
  if (needy.length === 0)
    return `Every mean is known to ±${brief(width)} % or better. Nothing has to be measured again.`;
  const few = needy.length - hopeless;
  const finite = needy.filter(({ needed }) => needed < ENDLESS).reduce((sum, cell) => sum + cell.more, 0);
  return [
    `For ±${brief(width)} % on every mean, ${hopeless ? finite : more} more ${finite === 1 ? 'run' : 'runs'} in ${few} of ${cells.length} cells.`,
    hopeless > 0 && `In ${hopeless} ${hopeless === 1 ? 'cell' : 'cells'} replicates alone may not suffice.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** A mean of several runs that came without its deviation, as published ones often do: of its runs nothing is known. */
export const isBareMean = ({ summary, replicates }: ReplicatedCell): boolean =>
  summary.sd === null && summary.n > 1 && replicates.length === 1;

export function outliersWords(cells: readonly ReplicatedCell[]): string {
  const flagged = cells.flatMap(({ replicates }) => replicates.filter(({ outlying }) => outlying)).length;
  const single = cells.filter(({ summary }) => summary.n < 2).length;
  const bare = cells.filter(isBareMean).length;
  return [
    `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}.`,
    bare > 0 &&
      `${bare === cells.length ? 'Each' : bare} ${bare === 1 || bare === cells.length ? 'is the mean' : 'are means'} of several runs without ${bare === 1 || bare === cells.length ? 'its' : 'their'} deviation: how far they spread is not known.`,
    bare === cells.length
      ? null
      : flagged === 0
        ? 'No run stands out from its cell.'
        : `${flagged} ${flagged === 1 ? 'run is an outlier in its cell' : 'runs are outliers in their cells'} (amber, hollow) and still ${flagged === 1 ? 'counts' : 'count'}.`,
    single > 0 && `${single} ${single === 1 ? 'cell has' : 'cells have'} one run, whose spread is not known.`,
  ]
    .filter(Boolean)
    .join(' ');
}
