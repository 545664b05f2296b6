// SPDX-License-Identifier: Apache-2.0
// The sliders: quantities, ranges and steps of the models that are simulated. No DOM.
import { slidersOf as rulersOf, type Slider } from '../../state/fit';
import type { BundledModel, Catalogue } from '../../state/models';
import { START } from './presets';
import type { Parameters } from './simulation/parameters';

export interface Control extends Slider {
  readonly name: NumberName;
  readonly group: Group;
  readonly whole: boolean;
}

export type Group = 'traffic' | 'interface' | 'host';
type NumberName = Exclude<keyof Parameters, 'spacing' | 'seed'>;

interface Range {
  readonly name: NumberName;
  readonly group: Group;
  readonly model: string;
  /** Where the model's own range does not suit. */
  readonly range?: readonly [number, number, number];
  readonly whole?: boolean;
}

const COMPOSED = 'receive-open-loop';
const POLLING = 'napi-receive';

const RANGES: readonly Range[] = [
  { name: 'mtu_bytes', group: 'traffic', model: COMPOSED, range: [576, 9000, 1], whole: true },
  // what the page can play frame by frame: the models reach further
  { name: 'offered_mbps', group: 'traffic', model: COMPOSED, range: [1, 10_000, 1] },
  { name: 'link_rate_mbps', group: 'traffic', model: COMPOSED, range: [100, 10_000, 100] },
  { name: 'moderation_kind', group: 'interface', model: COMPOSED, whole: true },
  { name: 'delay_us', group: 'interface', model: COMPOSED, range: [0, 1400, 0.01] },
  { name: 'packet_delay_us', group: 'interface', model: COMPOSED },
  { name: 'ring_descriptors', group: 'interface', model: COMPOSED, whole: true },
  { name: 'napi_weight', group: 'host', model: POLLING, range: [0, 256, 1], whole: true },
  { name: 'interrupt_cost_us', group: 'host', model: COMPOSED },
  { name: 'packet_cost_us', group: 'host', model: COMPOSED },
  { name: 'byte_cost_ns', group: 'host', model: COMPOSED },
  { name: 'system_call_cost_us', group: 'host', model: COMPOSED },
  { name: 'poll_cost_us', group: 'host', model: POLLING },
];

function control(model: BundledModel, { name, group, range, whole }: Range): Control {
  const parameter = model.parameters.find((p) => p.name === name);
  const quantity = parameter ?? model.inputs.find((q) => q.name === name);
  if (!quantity) throw new Error(`${model.id} has no ${name}`);
  const [lo, hi, step] = range ?? (parameter ? [parameter.lo, parameter.hi, parameter.step] : [0, 1, 1]);
  const term = { ...quantity, start: START[name], lo, hi, step };
  const [slider] = rulersOf([term], null, {});
  return { ...slider, name, group, whole: whole === true, domain: [lo, hi] };
}

let known: { of: Catalogue; controls: readonly Control[] } | null = null;

export function slidersOf(catalogue: Catalogue): readonly Control[] {
  if (known?.of === catalogue) return known.controls;
  const own = RANGES.flatMap((range) => {
    const model = catalogue.models.find((m) => m.id === range.model);
    return model ? [control(model, range)] : [];
  });
  // bursts are of this page only
  const [mtu] = own;
  const burst: Control = {
    ...mtu,
    name: 'burst_packets',
    label: 'Frames in a burst',
    symbolMath: '',
    unit: 'packets',
    start: START.burst_packets,
    lo: 1,
    hi: 64,
    step: 1,
    domain: [1, 64],
    digits: 0,
    spacing: 'linear',
  };
  const controls = [own[0], own[1], burst, ...own.slice(2)];
  known = { of: catalogue, controls };
  return controls;
}

/** Why a slider says nothing now. */
export function idle(name: NumberName, p: Parameters): boolean {
  if (name === 'delay_us') return p.moderation_kind === 0 || p.moderation_kind === 2;
  if (name === 'packet_delay_us') return p.moderation_kind !== 2 && p.moderation_kind !== 3;
  if (name === 'burst_packets') return p.spacing !== 'bursts';
  return name === 'poll_cost_us' && p.napi_weight === 0;
}
