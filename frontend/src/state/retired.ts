// SPDX-License-Identifier: Apache-2.0
// Measures that addresses still name. No DOM.

/** What an address means today by a name that meant something else, and why. */
interface Successor {
  readonly name: string;
  readonly why: string;
}

/** The successor of a measure that is no more (RETIRED in coalescope_models/vocabulary/quantity.py), or of a model's output that has a name of its own now; null for all others. */
export function successorOf(measure: string | undefined): Successor | null {
  if (measure?.startsWith('receiver_cpu_')) {
    const name = measure.replace('receiver_', 'traffic_');
    return { name, why: `is retired: it counted all tasks of the namespace, unlike ${name}` };
  }
  if (measure === 'packet_rate_hz') {
    const name = 'carried_packet_rate_hz';
    return { name, why: `is the rate that is offered; what is carried of it is ${name}` };
  }
  return null;
}
