// SPDX-License-Identifier: Apache-2.0
// What is asked of the server, and what its answer says.
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/features/recommend/question';
import {
  chance,
  formText,
  goalLabel,
  notesOf,
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

  it('is a sentence with its probability and what cannot be told apart', () => {
    const parts = sentenceOf(question, eight(), layout);
    expect(plain(parts)).toBe(
      'For throughput: MTU 1500, delay 40 µs, 200 Mb/s; the best with probability 0.93; MTU 1500, delay 10 cannot be told apart from it.',
    );
    expect(parts.filter((p) => p.place !== undefined).map((p) => p.place)).toEqual([0, 1]);
  });

  it('counts them where they are many', () => {
    expect(plain(sentenceOf(question, eight({ indistinguishable: [1, 2, 3] }), layout))).toMatch(
      /; 3 of the other 7 settings cannot be told from it\.$/,
    );
  });

  it('claims no chance for single values and predictions', () => {
    const single = answered([
      candidate({ mtu_bytes: 1500, delay_us: 10 }, { throughput_mbps: 9 }, { probability_best: null }),
    ]);
    expect(plain(sentenceOf(question, single, layout))).toMatch(
      /the best of 1 settings; with one value for each, its odds are not known/,
    );
    const model = posed(nfs(), 'goal=throughput');
    const predicted = answered([
      candidate({ mtu_bytes: 4500, delay_us: 10.24 }, { throughput_mbps: 206.3 }, { probability_best: null }),
    ]);
    expect(plain(sentenceOf(model.question, predicted, model.slice.layout))).toBe(
      'For throughput: MTU 4500, delay 10 ticks (10.2 µs), 206.3 Mb/s; the best of 1 predictions.',
    );
    expect(plain(notesOf(model.question, predicted, model.slice.layout)[0])).toMatch(
      /No run here has throughput: the model “Request/,
    );
  });

  it('says what to do where no setting keeps the limits', () => {
    const none = eight({
      best: null,
      message: 'No setting that was measured keeps the constraints: loosen one, or measure others.',
    });
    expect(plain(sentenceOf(question, none, layout))).toMatch(/^For throughput: No setting .* loosen one/);
  });

  it('notes the shortest delay that is good enough, the limits and the runs that do not count', () => {
    const found = eight({ left_out: 3, message: 'A word.' });
    const kept = { ...found, candidates: found.candidates.map((c, i) => (i ? c : { ...c, probability_allowed: 0.8 })) };
    expect(notesOf(question, kept, layout).map(plain)).toEqual([
      'A word.',
      'The shortest delay that loses no more than 1 %: MTU 1500, delay 10 µs, 0.4 % less good.',
      'It keeps the limits with probability 0.80.',
      '3 runs without what was asked about do not count.',
    ]);
  });

  it('says which loss does not matter', () => {
    const found = eight({ tolerance_percent: 5 });
    expect(notesOf(question, found, layout).map(plain)).toEqual([
      'The shortest delay that loses no more than 5 %: MTU 1500, delay 10 µs, 0.4 % less good.',
    ]);
  });

  it('has a word for each setting', () => {
    const found = eight();
    expect(found.candidates.map((c, i) => standingOf(c, i, found)).slice(0, 3)).toEqual([
      'the best',
      'not told apart; about 24 runs of each would',
      'told apart',
    ]);
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

  it('never makes chance certain', () => {
    expect([0.926, 1, 0].map(chance)).toEqual(['0.93', 'above 0.99', 'below 0.01']);
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
