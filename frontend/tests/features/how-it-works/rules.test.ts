// SPDX-License-Identifier: Apache-2.0
// The rules of the models, event by event: against the formulas at random points, and against Python's own rules packet by packet.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { readAddress, toQuery } from '../../../src/features/how-it-works/address';
import { START } from '../../../src/features/how-it-works/presets';
import { deferred } from '../../../src/features/how-it-works/rules/deferral';
import { woken } from '../../../src/features/how-it-works/rules/idle';
import { TRIPS } from '../../../src/features/how-it-works/rules/pingPong';
import type { Numbers } from '../../../src/features/how-it-works/rules/rule';
import { RULES, ruleOf, rulersOf, startOf } from '../../../src/features/how-it-works/rules/rules';
import { gathered, throttled } from '../../../src/features/how-it-works/rules/turns';
import { ruleShow } from '../../../src/features/how-it-works/show';
import { settingAt, trackOf } from '../../../src/state/fit';
import { generator } from '../../random';

/** What the models state of themselves beyond 1 %: an approximation's own error. */
const STATED: Readonly<Record<string, number>> = {
  'receive-merging': 0.06,
  'queue-imbalance': 0.09,
};
/** Outputs that jump, or that the limits of the model call blurred. */
const LOOSE: Readonly<Record<string, readonly string[]>> = { 'receive-energy': ['deep_idle_percent'] };
const POINTS = 20;

function anywhere(random: () => number, model: string): Numbers {
  const rule = ruleOf(model);
  if (!rule) throw new Error(model);
  return Object.fromEntries(
    rulersOf(catalogue, rule).map((slider) => {
      const [from, to] = [slider.lo, slider.hi].map((end) => trackOf(slider, end));
      const value = settingAt(slider, from + (to - from) * random());
      return [slider.name, slider.whole ? Math.round(value) : value];
    }),
  );
}

/** How many events an output counts, as far as the model tells; else a turn of ten packets is one. */
function eventsOf(name: string, told: number, until_us: number, many: number, queues: number): number {
  if (name === 'rx_interrupt_rate_hz' || name === 'timer_poll_rate_hz') return (1e-6 * told * until_us) / queues;
  return name.endsWith('_share') ? told * many : many / 10;
}

describe.each(RULES.map((rule) => [rule.model, rule] as const))('%s', (model, rule) => {
  it('counts every output of its model', () => {
    const show = ruleShow(catalogue, rule, startOf(catalogue, rule), 1);
    expect(show.lines.map(({ name }) => name)).toEqual(
      catalogue.models.find(({ id }) => id === model)?.outputs.map(({ name }) => name),
    );
    for (const { name, counted } of show.lines) expect(counted(show.until_us), name).not.toBeNaN();
  });

  it(`is within 1 % of the formulas at ${POINTS} random points, and what chance leaves of its packets`, () => {
    const random = generator(2005);
    for (let k = 0; k < POINTS; k++) {
      const values = anywhere(random, model);
      const many = rule.many(values);
      const { until_us, lines } = ruleShow(catalogue, rule, values, k);
      for (const { name, counted, said } of lines) {
        if (LOOSE[model]?.includes(name)) continue;
        const [found, told] = [counted(until_us), said?.value ?? Number.NaN];
        // of a wait that is nearly nothing there is no percentage: then of the delay
        const scale = /added_latency/.test(name)
          ? Math.max(told, values.delay_us ?? values.gro_flush_timeout_us)
          : told;
        const percent = name.endsWith('_percent') ? 2 : 0;
        // four deviations of as many events as are expected; and of rare ones four
        const events = Math.max(1e-12, eventsOf(name, told, until_us, many, values.queues ?? 1));
        const rare = (4 * Math.abs(told)) / events;
        const near = ((STATED[model] ?? 0.01) + 4 / Math.sqrt(events)) * Math.abs(scale) + percent + rare;
        expect(Math.abs(found - told), `${name} ${found} for ${told} at ${JSON.stringify(values)}`).toBeLessThan(
          near + 1e-9,
        );
      }
    }
  });
});

interface Golden {
  readonly arrivals_us: readonly number[];
  readonly throttled: readonly { delay_us: number; told_us: number[] }[];
  readonly gathered: readonly { delay_us: number; rx_frames: number | null; told_us: number[] }[];
  readonly deferred: readonly {
    timeout_us: number;
    deferrals: number;
    packet_cost_us: number;
    told_us: number[];
    started_us: number[];
    by: number[];
  }[];
  readonly woken: readonly { delay_us: number; busy_us: number; interrupts: [number, number][] }[];
  readonly round_trips: readonly Numbers[];
}

describe('with Python, packet by packet', () => {
  const golden: Golden = JSON.parse(
    readFileSync(new URL('../../../../models/tests/phenomena/rules.json', import.meta.url), 'utf8'),
  );
  const arrivals = Float64Array.from(golden.arrivals_us);
  const near = (found: ArrayLike<number>, expected: readonly number[]) => {
    // a turn that the last packets leave open is not told of
    expect(found.length).toBeGreaterThan(expected.length * 0.7);
    for (let k = 0; k < found.length; k++) expect(found[k]).toBeCloseTo(expected[k], 9);
  };

  it('throttles and timers tell of each packet at the same moment', () => {
    for (const { delay_us, told_us } of golden.throttled) near(throttled(arrivals, delay_us).told, told_us);
    for (const { delay_us, rx_frames, told_us } of golden.gathered)
      near(gathered(arrivals, delay_us, rx_frames ?? undefined).told, told_us);
  });
  it('the same loop finds each packet, and the application gets to it, at the same moment', () => {
    for (const { timeout_us, deferrals, packet_cost_us, ...expected } of golden.deferred) {
      const found = deferred(arrivals, timeout_us, deferrals, packet_cost_us);
      near(found.told, expected.told_us);
      near(found.started, expected.started_us);
      expect([...found.by]).toEqual(expected.by);
    }
  });
  it('a CPU that sleeps is woken at the same moments', () => {
    for (const { delay_us, busy_us, interrupts } of golden.woken) {
      const { wakings } = woken(arrivals, delay_us, () => busy_us);
      near(
        wakings.map(({ t_us }) => t_us),
        interrupts.map(([t]) => t),
      );
      expect(wakings.map(({ packets }) => packets)).toEqual(interrupts.map(([, n]) => n));
    }
  });
  it('round trips take as long', () => {
    for (const { delay_us, base_latency_us, ...expected } of golden.round_trips)
      for (const [name, mean] of Object.entries(expected)) {
        const trips = TRIPS[name]({ delay_us, base_latency_us, moderated_hosts: 1 }, generator(1), 400);
        expect(trips[399].told_us / 400, name).toBeCloseTo(mean, 9);
      }
  });
  it('tells one rule from another: the comparison can fail', () => {
    const [first] = golden.throttled;
    expect(() => near(throttled(arrivals, first.delay_us + 1).told, first.told_us)).toThrow();
  });
});

describe('the page of a rule', () => {
  const read = (query: string) => readAddress(new URLSearchParams(query), catalogue);

  it('has an address of its own, and gives it back', () => {
    const random = generator(4);
    for (const { model } of RULES) {
      const state = {
        parameters: { ...START, seed: 7 },
        played: { model, values: anywhere(random, model) },
        speed: 4,
        at_us: 80,
      };
      expect(read(toQuery(state, catalogue))).toEqual(state);
      expect(toQuery(read(`model=${model}`), catalogue)).toBe(`model=${model}`);
    }
    expect(read('model=link-bound&delay_us=125')).toEqual(read('delay_us=125'));
    expect(read('model=throttle-poisson&delay_us=1e9&queues=1.5&mtu_bytes=9000').played?.values).toEqual(
      read('model=throttle-poisson').played?.values,
    );
  });

  it('draws numbers only, at every moment and width', () => {
    const random = generator(5);
    for (const rule of RULES)
      for (const values of [startOf(catalogue, rule), anywhere(random, rule.model)]) {
        const show = ruleShow(catalogue, rule, values, 1);
        for (const share of [0, 0.001, 0.5, 1])
          for (const width of [358, 1120]) {
            const { shapes } = show.picture(share * show.until_us, width);
            expect(JSON.stringify(shapes), rule.model).not.toMatch(/NaN|null|Infinity/);
          }
        for (let k = 1; k < show.events.length; k++)
          if (show.events[k].t_us < show.events[k - 1].t_us) throw new Error(`${rule.model}: event ${k}`);
        expect(show.events[show.events.length - 1].words()).not.toMatch(/NaN|undefined/);
      }
  });
});
