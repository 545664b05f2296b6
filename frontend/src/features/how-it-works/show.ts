// SPDX-License-Identifier: Apache-2.0
// What the page plays, counts and compares: the receiver, or the rule of one model. No DOM.
import { brief, decimal } from '../../plots/number';
import { niceStep } from '../../plots/scale';
import type { Shape } from '../../plots/shapes';
import type { Catalogue } from '../../state/models';
import { predictor } from '../figures/evaluate';
import { happeningWords } from './messages';
import { laneWords, PICTURE_HEIGHT, pictureOf, spanOf } from './picture';
import { predictionOf } from './prediction';
import { heightOfReplay, pictureOfReplay } from './rules/picture';
import type { Numbers, Rule } from './rules/rule';
import { modelOf } from './rules/rules';
import { COUNTED, countersOf } from './simulation/measure';
import { meanGap, type Parameters } from './simulation/parameters';
import { generator } from './simulation/random';
import { simulate } from './simulation/simulate';

export interface Picture {
  readonly shapes: readonly Shape[];
  readonly us_per_px: number;
}

/** One line of the table: a quantity, counted and predicted. */
export interface Line {
  readonly name: string;
  /** Counted until a moment; NaN where nothing can be said yet. */
  counted(t_us: number): number;
  /** What a model says, and which; null where none does. */
  readonly said: { readonly value: number; readonly model: string } | null;
  words(value: number): string;
}

export interface Show {
  readonly until_us: number;
  /** How much time the picture shows. */
  readonly span_us: number;
  /** When the first turn is over: from there on its convergence is drawn. */
  readonly first_us: number;
  readonly height: number;
  /** What the lanes of the picture are. */
  readonly lanes: string;
  picture(now_us: number, width: number): Picture;
  readonly events: readonly { readonly t_us: number; words(): string }[];
  readonly lines: readonly Line[];
}

/** What a second on the screen stands for [µs]: a picture passes in eight. */
export const paceOf = ({ span_us }: Pick<Show, 'span_us'>): number => niceStep(span_us / 8);

/** So much traffic is simulated: enough for the counters to settle. */
const PACKETS = 3000;

const DIGITS: Readonly<Record<(typeof COUNTED)[number], number>> = {
  packets_per_interrupt: 2,
  rx_interrupt_rate_hz: 0,
  added_latency_us: 1,
  system_cpu_percent: 1,
  drop_percent: 1,
};

export function receiverShow(catalogue: Catalogue, parameters: Parameters): Show {
  const simulation = simulate(parameters, PACKETS * meanGap(parameters));
  const counters = countersOf(simulation);
  const prediction = predictionOf(catalogue, parameters);
  const { until_us, interrupts } = simulation;
  return {
    until_us,
    span_us: spanOf(parameters),
    first_us: interrupts[1]?.raised_us ?? until_us / 100,
    height: PICTURE_HEIGHT,
    lanes: laneWords,
    picture: (now_us, width) => pictureOf({ simulation, parameters, now_us, width }),
    events: simulation.happenings.map((happening) => ({
      t_us: happening.t_us,
      words: () => happeningWords(happening),
    })),
    lines: COUNTED.map((name) => ({
      name,
      counted: (t) => counters.at(t)[name],
      said: prediction[name],
      words: (value) => decimal(value, DIGITS[name]),
    })),
  };
}

export function ruleShow(catalogue: Catalogue, rule: Rule, values: Numbers, seed: number): Show {
  const replay = rule.play(values, generator(seed), rule.many(values));
  const model = modelOf(catalogue, rule);
  return {
    until_us: replay.until_us,
    span_us: replay.span_us,
    first_us: Math.min(replay.span_us, replay.until_us / 100),
    height: heightOfReplay(replay),
    lanes: `Lanes over one time axis: ${replay.lanes.map((lane) => lane.title).join(', ')}.`,
    picture: (now_us, width) => pictureOfReplay(replay, now_us, width),
    events: replay.events,
    lines: model.outputs.map(({ name }) => ({
      name,
      counted: replay.counted[name],
      said: { model: model.id, value: predictor(catalogue, { model: model.id, output: name, set: {} })(values) },
      words: (value) => brief(value, 4),
    })),
  };
}
