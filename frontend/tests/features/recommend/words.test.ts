// SPDX-License-Identifier: Apache-2.0
// What is asked of the server, and what its answer says.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { isRefusal } from '../../../src/features/recommend/question';
import {
  formText,
  goalLabel,
  notesOf,
  offersOf,
  type Part,
  sentenceOf,
  settingName,
  spotOf,
  standingOf,
} from '../../../src/features/recommend/words';
import { limitIn, readLimits, readWeights, START_ADVICE, withLimit } from '../../../src/state/advice';
import { designed } from '../../designs';
import { dillon, nfs } from '../../published';
import { answered, candidate, eight, lab, pose, posed } from './answers';

const QUANTITIES = new Map(catalogue.quantities.map((q) => [q.name, q]));

const plain = (parts: readonly Part[]): string =>
  parts
    .map((p) => p.text)
    .join('')
    .replaceAll('\u00a0', ' ');

describe('the question', () => {
  it('is about the measure on the screen until a goal is chosen', () => {
    const asks = (query: string) => posed(lab(), query).question.aims.map((a) => a.quantity.name);
    expect(asks('measure=traffic_cpu_s_per_gb')).toEqual(['traffic_cpu_s_per_gb']);
    expect(asks('measure=latency_us')).toEqual(['latency_us']);
    expect(asks('measure=latency_us&goal=throughput')).toEqual(['throughput_mbps']);
  });

  it('names one level of the traffic, wherever it stands', () => {
    const where = (query: string) => posed(lab(), query).question.where;
    expect(where('workload=udp')).toEqual({ workload: 'udp' });
    expect(where('x=workload&workload=udp&delay_us=40')).toMatchObject({ workload: 'udp' });
  });

  it('weighs what has a weight, keeps limits, and names interface and driver', () => {
    const { question } = posed(lab(), 'goal=trade&weigh=cpu:1.5,latency:0&atmost=latency_us:500&driver=igb');
    expect(question.asked.request).toMatchObject({
      aims: [
        { measure: 'throughput_mbps', weight: 1 },
        { measure: 'traffic_cpu_s_per_gb', weight: 1.5 },
      ],
      constraints: [{ measure: 'latency_us', limit: 'at most', value: 500 }],
      interface: 'eth0',
      driver: 'igb',
    });
  });

  it('balances two measures without weights, throughput or latency against CPU time', () => {
    const { question } = posed(lab(), 'goal=balance&weigh=cpu:1.5');
    expect(question.asked.request).toMatchObject({
      goal: 'balance',
      aims: [
        { measure: 'throughput_mbps', weight: 1 },
        { measure: 'traffic_cpu_s_per_gb', weight: 1 },
      ],
    });
    expect(posed(lab(), 'goal=trade').question.asked.request).not.toHaveProperty('goal');
    const without = designed('late', { delay_us: [10, 40] }, ['latency_us', 'traffic_cpu_s_per_gb']);
    expect(posed(without, 'goal=balance').question.aims.map((a) => a.role)).toEqual(['latency', 'cpu']);
  });

  it('goes to the model of the traffic where no run has the measure', () => {
    const { question } = posed(nfs(), 'goal=throughput');
    expect(question.model?.id).toBe('request-response');
    const { request } = question.asked;
    expect('over' in request && request.over.mtu_bytes).toEqual([1500, 3000, 4500]);
    expect('over' in request && request.over.delay_us[0]).toBeCloseTo(10.24);
    expect(question.settingOf({ mtu_bytes: 4500, delay_us: 40.96 })).toEqual({ mtu_bytes: 4500, delay_ticks: 40 });
  });

  it('is not asked where neither runs nor a model can answer, and says what to measure', () => {
    const latency = pose(dillon(), 'workload=iperf&goal=throughput').question;
    expect(isRefusal(latency) && latency.reason).toMatch(/No run here has throughput.*measure it in each setting/);
    const trade = pose(dillon(), 'workload=iperf&goal=trade').question;
    expect(isRefusal(trade) && trade.reason).toMatch(
      /needs two measures; of what is weighed, the runs have CPU time only/,
    );
    const balance = pose(dillon(), 'workload=iperf&goal=balance').question;
    expect(isRefusal(balance) && balance.reason).toMatch(
      /between CPU time and throughput.*the runs have CPU time only/,
    );
    const opened = pose({ ...lab(), opened: true }, '').question;
    expect(isRefusal(opened) && opened.reason).toMatch(/a server that they are uploaded to/);
  });
});

describe('the answer', () => {
  const { question, slice } = posed(lab(), 'goal=throughput');
  const { layout } = slice;

  it('is a sentence about what changes least of what is as good', () => {
    const parts = sentenceOf(question, eight({ answer: 1, choices: [0, 1] }), layout, 'measured');
    expect(plain(parts)).toBe(
      'For throughput: MTU 1500, delay 10 µs, 199.2 Mb/s; it changes least of the 2 settings that lose at most 2 %.',
    );
    expect(parts.filter((p) => p.place !== undefined).map((p) => p.place)).toEqual([1]);
    expect(plain(sentenceOf(question, eight({ choices: [0] }), layout, 'measured'))).toMatch(
      /MTU 1500, delay 40 µs, 200 Mb\/s; every other setting loses more than 2 %, or may\.$/,
    );
  });

  it('says whose host it was', () => {
    expect(plain(sentenceOf(question, eight(), layout, 'emulated'))).toMatch(/^On the emulated host, for throughput: /);
    expect(plain(sentenceOf(question, eight(), layout, 'published'))).toMatch(/^On the host of this publication, /);
  });

  it('is not given where the runs are not enough for one', () => {
    const none = eight({
      answer: null,
      choices: [],
      message: 'Not enough to recommend a setting: measure each setting more often, or loosen a limit.',
    });
    expect(plain(sentenceOf(question, none, layout, 'measured'))).toMatch(
      /: Not enough to recommend a setting.*measure each setting more often, or loosen a limit\.$/,
    );
  });

  it('asks for a limit where only a cost is known', () => {
    const ask = [
      { factor: 'delay_us', at_most: 40, factors: { mtu_bytes: 9000, delay_us: 40 }, loss_percent: 14.2 },
      { factor: 'delay_us', at_most: 100, factors: null, loss_percent: null },
    ];
    const found = eight({ answer: null, choices: [], ask });
    expect(plain(sentenceOf(question, found, layout, 'measured'))).toMatch(/how much delay is allowed\?/);
    expect(offersOf(question, found, layout).map((o) => o.text.replaceAll('\u00a0', ' '))).toEqual([
      'at most 40: MTU 9000, delay 40, 14 % more',
      'at most 100: no setting',
    ]);
  });

  it('says that a prediction is one', () => {
    const model = posed(nfs(), 'goal=throughput');
    const predicted = answered([
      candidate({ mtu_bytes: 4500, delay_us: 10.24 }, { throughput_mbps: 206.3 }, { probability_best: null }),
    ]);
    expect(plain(sentenceOf(model.question, predicted, model.slice.layout, 'published'))).toBe(
      'On the host of this publication, for throughput: MTU 4500, delay 10 ticks (10.2 µs), 206.3 Mb/s, of 1 predictions.',
    );
    expect(notesOf(model.question, predicted, QUANTITIES)[0]).toMatch(/No run here has throughput: the model “Request/);
  });

  it('says what to do where no setting keeps the limits', () => {
    const none = eight({
      best: null,
      answer: null,
      message: 'No setting that was measured keeps the constraints: loosen one, or measure others.',
    });
    expect(plain(sentenceOf(question, none, layout, 'measured'))).toMatch(/^For throughput: No setting .* loosen one/);
  });

  it('notes cautions, guards and the runs that do not count', () => {
    const found = eight({
      left_out: 3,
      message: 'A word.',
      cautions: ['It fell.'],
      guards: [{ measure: 'throughput_mbps', limit: 'within', value: 1 }],
    });
    expect(notesOf(question, found, QUANTITIES).map((note) => note.replaceAll('\u00a0', ' '))).toEqual([
      'Caution: It fell.',
      'Kept without being asked: throughput within 1 % of its best.',
      'A word.',
      '3 runs without what was asked about do not count.',
    ]);
  });

  it('has a word for each setting', () => {
    const found = eight({ answer: 1, choices: [1] });
    expect(found.candidates.map((c, i) => standingOf(c, i, found)).slice(0, 3)).toEqual([
      'best mean',
      'the answer',
      'loses more',
    ]);
    expect(standingOf(found.candidates[1], 1, eight({ choices: [0] }))).toBe(
      'not sure enough; about 24 runs of each would tell',
    );
    expect(standingOf(found.candidates[7], 7, found)).toBe('breaks a limit');
  });

  it('finds a setting’s place in the picture', () => {
    expect(spotOf(layout, { mtu_bytes: 9000, delay_us: 100 })).toEqual({ x: 100, y: 9000 });
    expect(settingName(layout, { mtu_bytes: 9000, delay_us: 100 }, false)).toBe('MTU 9000, delay 100');
  });

  it('calls a goal by what is known of it', () => {
    expect(goalLabel('cpu', { cpu: { name: 'traffic_cpu_s_per_gb' } })).toBe('CPU per GB');
    expect(goalLabel('cpu', { cpu: { name: 'system_cpu_percent' } })).toBe('CPU');
  });

  it('writes a form as its files, each under its name, and its commands', () => {
    const form = {
      name: 'tuned',
      title: 'tuned',
      files: [
        { path: '/etc/a.conf', text: '[main]\n', executable: false },
        { path: '/etc/set.sh', text: '#!/bin/sh\n', executable: true },
      ],
      activate: ['tuned-adm profile a'],
      notes: [],
    };
    expect(formText(form).split('\n')).toEqual([
      '# /etc/a.conf',
      '[main]',
      '',
      '# /etc/set.sh, executable',
      '#!/bin/sh',
      '',
      'tuned-adm profile a',
    ]);
  });
});

describe('the parameters of an address', () => {
  it('reads weights and limits, and says what is wrong with others', () => {
    expect(readWeights('cpu:1.5,latency:0')).toEqual({ weights: { throughput: 1, cpu: 1.5, latency: 0 } });
    expect(readWeights('joy:1')).toBe('weighs what is no goal');
    expect(readWeights('cpu:4')).toMatch(/not between 0 and 3/);
    expect(readLimits('latency_us:500', 'at most')).toEqual([{ measure: 'latency_us', limit: 'at most', value: 500 }]);
    expect(readLimits('latency_us:0', 'at most')).toMatch(/no number above zero/);
    expect(readLimits('latency_us:1,latency_us:2', 'at most')).toMatch(/twice/);
    expect(readLimits('<b>:1', 'at most')).toBe('limits what is no measure');
  });

  it('sets, changes and takes away a limit', () => {
    const one = withLimit(START_ADVICE.limits, 'throughput_mbps', 'at least', 900);
    const two = withLimit(one, 'latency_us', 'at most', 500);
    expect(two.map((l) => l.measure)).toEqual(['latency_us', 'throughput_mbps']);
    expect(withLimit(two, 'latency_us', 'at most', 400)[0].value).toBe(400);
    expect(withLimit(two, 'latency_us', 'at most', null)).toEqual(one);
    expect([' 5e2 ', '0,5', '', '-1', 'x'].map(limitIn)).toEqual([500, 0.5, null, null, null]);
  });
});
