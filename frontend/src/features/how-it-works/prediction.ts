// SPDX-License-Identifier: Apache-2.0
// What the models say of the same parameters: the kernels that the explorer draws with.
import type { Catalogue } from '../../state/models';
import { predictor } from '../figures/evaluate';
import { COUNTED, type Counted } from './simulation/measure';
import {
  FRAME_OVERHEAD_BYTES,
  MODERATION,
  meanGap,
  type Parameters,
  packetTime,
  wireTime,
} from './simulation/parameters';

interface Predicted {
  readonly value: number;
  /** Id of the model that says so. */
  readonly model: string;
}

export type Prediction = Readonly<Record<keyof Counted, Predicted | null>>;

const COMPOSED = 'receive-open-loop';
const TIMER = 'timer-packets-per-interrupt';
const POLLING = 'napi-receive';
const AT_RANDOM = 'throttle-poisson';

/** Frames keep step with the absolute timer, and it is what interrupts. */
function keepsStep(p: Parameters): boolean {
  const kind = p.moderation_kind;
  const absolute =
    kind === MODERATION.absoluteTimer || (kind === MODERATION.bothTimers && p.packet_delay_us >= meanGap(p));
  return absolute && p.spacing === 'even' && 1 + Math.ceil(p.delay_us / meanGap(p)) < p.ring_descriptors;
}

/** Which model speaks of a count, and what it is given. */
function sayer(p: Parameters, name: keyof Counted): { model: string; values: Readonly<Record<string, number>> } {
  const load = wireTime(p) / meanGap(p);
  if (p.napi_weight > 0 && p.moderation_kind === MODERATION.everyPacket)
    return {
      model: POLLING,
      values: {
        ...scalars(p),
        frame_bytes: p.mtu_bytes + FRAME_OVERHEAD_BYTES,
        link_load: load,
        queues: 1,
        packet_cost_us: packetTime(p) + p.system_call_cost_us,
      },
    };
  const timer = name === 'packets_per_interrupt' || name === 'rx_interrupt_rate_hz';
  if (timer && keepsStep(p)) return { model: TIMER, values: { ...scalars(p), link_load: load } };
  // frames wait for each other on a full wire: then they do not come at random
  const throttled = p.moderation_kind >= MODERATION.throttle && p.napi_weight === 0;
  if (timer && throttled && p.spacing === 'random' && load <= 0.25)
    return { model: AT_RANDOM, values: { ...scalars(p), packet_rate_hz: 1e6 / meanGap(p), queues: 1 } };
  return { model: COMPOSED, values: { ...scalars(p), read_bytes: 0 } };
}

function scalars(p: Parameters): Record<string, number> {
  return Object.fromEntries(Object.entries(p).filter(([, value]) => typeof value === 'number'));
}

export function predictionOf(catalogue: Catalogue, p: Parameters): Prediction {
  const found = COUNTED.map((name): [keyof Counted, Predicted | null] => {
    const { model, values } = sayer(p, name);
    if (!(name in catalogue.kernelsOf(model))) return [name, null];
    const value = predictor(catalogue, { model, output: name, set: {} })(values);
    return [name, Number.isNaN(value) ? null : { model, value }]; // it may have none at these parameters
  });
  return Object.fromEntries(found) as unknown as Prediction;
}

/** "0.4 % apart"; a model that says nothing is nothing apart. */
export function apart(counted: number, predicted: number): number {
  return predicted === 0 ? (counted === 0 ? 0 : Number.POSITIVE_INFINITY) : 100 * (counted / predicted - 1);
}
