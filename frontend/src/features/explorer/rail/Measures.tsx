// SPDX-License-Identifier: Apache-2.0
// The measures of the cells: what is looked at, and what they lack.
import type { MeasureOf } from '../../../api/types';
import { AfterPaint } from '../../../components/AfterPaint';
import { Rich } from '../../../components/Rich';
import type { BundledQuantity } from '../../../state/models';
import { useExplorer } from '../context';
import { levelWords, shortUnit } from '../figure/messages';
import { Options } from './Options';

const SHORT: Readonly<Record<string, string>> = {
  rx_interrupt_rate_hz: 'Interrupt rate',
  rx_interrupts_per_gb: 'Interrupts',
  rx_packets_per_gb: 'Packets',
};

export function shortLabel(q: BundledQuantity): string {
  return SHORT[q.name] ?? q.label.replace(' per 10⁹ bytes', '');
}

function unitNote(q: BundledQuantity): string {
  if (q.name === 'packets_per_interrupt') return '';
  const unit = shortUnit(q.unit);
  return q.unit.endsWith('/GB') ? (unit === 'jiffies' || unit === 's' ? unit : 'per 10⁹ B') : unit;
}

/** What each is called beside the others of a list, by name: no two alike. Two may be one thing in two units, or in all and per 10⁹ bytes. */
export function namesApart(list: readonly BundledQuantity[]): ReadonlyMap<string, string> {
  const forms = (q: BundledQuantity) => {
    const [short, unit] = [shortLabel(q), unitNote(q)];
    return [short, `${short}, ${unit}`, q.label, `${q.label}, ${unit}`];
  };
  const all = list.map(forms);
  return new Map(
    list.map((q) => [q.name, forms(q).find((words, i) => all.filter((f) => f[i] === words).length === 1) ?? q.name]),
  );
}

/** Listed apart: of use only beside the time it was counted in. */
const isRaw = (m: BundledQuantity | MeasureOf): boolean => 'raw' in m && m.raw;

/** Its press chooses the measure; the definition opens where the pointer rests, or with “?”. */
function Named({ of, words = shortLabel(of) }: { of: BundledQuantity; words?: string }) {
  return (
    <span data-quantity={of.name}>
      <Rich>{words}</Rich>
    </span>
  );
}

export function Measures() {
  const { subject, store, view, slices } = useExplorer();
  const { where } = store.get();
  const slice = slices(store.get());
  const published = subject.of === 'experiment' && subject.experiment.kind === 'published';
  const elsewhere = (name: string) =>
    subject.of === 'experiment' && subject.experiment.measures.some((m) => m.name === name && m.cells > 0);
  const chosen = view.measure.name;
  const options = (list: readonly BundledQuantity[]) => {
    const names = namesApart(list);
    return list.map((m) => {
      const words = names.get(m.name);
      const unit = unitNote(m);
      const note = words?.endsWith(`, ${unit}`) ? '' : unit;
      return { value: m.name, label: <Named of={m} words={words} />, note: <Rich>{note}</Rich> };
    });
  };
  const first = slice.measures.filter((m) => !isRaw(m) || m.name === chosen);
  const raw = slice.measures.filter((m) => isRaw(m) && m.name !== chosen);
  const lacking = slice.missing
    .filter((m) => !isRaw(m))
    .map((m) => ({
      value: m.name,
      label: <Named of={m} />,
      note: elsewhere(m.name)
        ? `not with ${Object.values(where).map(levelWords).join(', ')}`
        : published
          ? 'not tabulated'
          : 'not available',
      unavailable: true,
    }));
  const choose = (measure: string) => store.update({ measure, model: null, overrides: {}, pins: [] });
  return (
    <>
      <Options label="Measure" options={[...options(first), ...lacking]} value={chosen} onChange={choose} />
      {raw.length > 0 && (
        <details className="more">
          <summary>{raw.length} raw counters</summary>
          <AfterPaint>
            <Options label="Raw counters" options={options(raw)} value={chosen} onChange={choose} />
          </AfterPaint>
        </details>
      )}
    </>
  );
}
