// SPDX-License-Identifier: Apache-2.0
// The measures of the cells: what is looked at, and what they lack.
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

/** Counted by the interface or the kernel, and only useful beside the time they were counted in. */
const RAW = new Set([
  'elapsed_s',
  'rx_bytes',
  'rx_packets',
  'tx_bytes',
  'tx_packets',
  'rx_interrupts',
  'rx_line_interrupts',
  'drops',
  'interface_drops',
  'ring_drops',
  'backlog_drops',
  'socket_drops',
  'datagrams_lost',
  'traffic_cpu_s',
  'traffic_cpu_jiffies',
  'interface_cpu_s',
  'interface_cpu_jiffies',
  'interface_cpu_jiffies_per_gb',
  'workload_cpu_s',
  'workload_cpu_jiffies',
  'workload_cpu_jiffies_per_gb',
  'host_cpu_s',
  'probe_cpu_s',
  'package_energy_j',
  'system_cpu_s',
  'system_cpu_jiffies',
  'tx_throughput_mbps',
  'rx_packets_per_gb',
]);

/** Its press chooses the measure; the definition opens where the pointer rests, or with “?”. */
function Named({ of }: { of: BundledQuantity }) {
  return (
    <span data-quantity={of.name}>
      <Rich>{shortLabel(of)}</Rich>
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
  const options = (list: readonly BundledQuantity[]) =>
    list.map((m) => ({ value: m.name, label: <Named of={m} />, note: <Rich>{unitNote(m)}</Rich> }));
  const first = slice.measures.filter((m) => !RAW.has(m.name) || m.name === chosen);
  const raw = slice.measures.filter((m) => RAW.has(m.name) && m.name !== chosen);
  const lacking = slice.missing
    .filter((m) => !RAW.has(m.name))
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
