// SPDX-License-Identifier: Apache-2.0
// What is asked of the server, and what its answer says.
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../src/api/types';
import { catalogue } from '../../../src/engine/catalogue';
import {
  briefChange,
  changeWords,
  intervalWords,
  namedChange,
  shortMeasure,
} from '../../../src/features/recommend/changeWords';
import {
  chanceWords,
  dependenceNotes,
  formText,
  goalLabel,
  guardWords,
  hostWords,
  notesOf,
  offersOf,
  referenceWords,
  saysLittle,
  sentenceOf,
  standingOf,
  tracked,
  whyOf,
} from '../../../src/features/recommend/messages';
import { appliedTo, isRefusal } from '../../../src/features/recommend/question';
import type { Part } from '../../../src/features/recommend/Sentence';
import { settingName, spotOf } from '../../../src/features/recommend/settingWords';
import {
  limitIn,
  ROLES,
  readCurrent,
  readLimits,
  readWeights,
  START_ADVICE,
  withLimit,
} from '../../../src/state/advice';
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

  it("takes the CPU time of the whole host where no other's was measured", () => {
    const measures = (...names: string[]) => designed('lab', { delay_us: [10, 40] }, ['throughput_mbps', ...names]);
    const asks = (...names: string[]) =>
      posed(measures(...names), 'goal=cpu').question.aims.map((a) => a.quantity.name);
    expect(asks('host_cpu_percent')).toEqual(['host_cpu_percent']);
    expect(asks('host_cpu_percent', 'system_cpu_percent')).toEqual(['system_cpu_percent']);
  });

  it('is about every measure that the vocabulary knows as a goal', () => {
    const aims = new Set(catalogue.quantities.flatMap((q) => q.aim ?? []));
    expect(new Set(ROLES)).toEqual(aims);
    const { question } = posed(designed('watts', { delay_us: [10, 40] }, ['package_power_w']), 'goal=energy');
    expect(question.aims.map((a) => a.quantity.name)).toEqual(['package_power_w']);
    expect(goalLabel('energy', {})).toBe('Energy per GB');
    expect(goalLabel('energy', { energy: { name: 'package_power_w' } })).toBe('Energy');
  });

  it('names one level of the traffic, wherever it stands', () => {
    const where = (query: string) => posed(lab(), query).question.where;
    expect(where('workload=udp')).toEqual({ workload: 'udp' });
    expect(where('x=workload&workload=udp&delay_us=40')).toMatchObject({ workload: 'udp' });
  });

  it('leaves open what can be chosen and is on no axis, and names it in the setting', () => {
    const factors = { mtu_bytes: [1500, 9000], delay_us: [10, 40], 'factor.polling': ['interrupts', 'threaded-napi'] };
    const whole = designed('polls', { ...factors, workload: ['tcp', 'udp'] }, ['throughput_mbps']);
    const { question, slice } = posed(whole, 'factor.polling=interrupts&workload=udp');
    expect(question.where).toEqual({ workload: 'udp' });
    const setting = { mtu_bytes: 9000, delay_us: 40, workload: 'udp', 'factor.polling': 'threaded-napi' };
    expect(settingName(slice.layout, setting, false)).toBe('MTU 9000, delay 40, polling threaded-napi');
  });

  it('is none where nobody sets what varies', () => {
    const sizes = designed('sizes', { frame_bytes: [64, 512], workload: ['udp', 'tcp'] }, ['throughput_mbps']);
    const given = sizes.experiment.factors.map((factor) => ({ ...factor, choice: false }));
    const { question } = pose({ ...sizes, experiment: { ...sizes.experiment, factors: given } }, 'workload=udp');
    expect('reason' in question && question.reason).toMatch(
      /^Nothing here is for choice: .*frame size.* what the traffic or the host is, and nobody sets it/,
    );
    expect('reason' in pose(lab(), 'workload=udp').question).toBe(false);
  });

  it('weighs what has a weight, keeps limits, and says what is set now', () => {
    const { question } = posed(
      lab(),
      'goal=trade&weigh=cpu:1.5,latency:0&atmost=latency_us:500&within=throughput_mbps:5&now=delay_us:40&driver=igb',
    );
    expect(question.asked.request).toMatchObject({
      aims: [
        { measure: 'throughput_mbps', weight: 1 },
        { measure: 'traffic_cpu_s_per_gb', weight: 1.5 },
      ],
      constraints: [
        { measure: 'latency_us', limit: 'at most', value: 500 },
        { measure: 'throughput_mbps', limit: 'within', value: 5 },
      ],
      current: { delay_us: 40 },
      interface: 'eth0',
    });
  });

  it('is the same whomever the commands are for', () => {
    const { asked } = posed(lab(), 'driver=igb&kernel=6.1&interface=eth7').question;
    expect(asked).toEqual(posed(lab(), '').question.asked);
    const { request } = appliedTo(asked, { interface: 'eth7', driver: 'igb', kernel: '6.1' });
    expect(request).toMatchObject({ interface: 'eth7', driver: 'igb', kernel: '6.1' });
    const { request: unknown } = appliedTo(asked, { interface: 'eth7', driver: null, kernel: '6.1' });
    expect(unknown).not.toHaveProperty('kernel');
  });

  it('is about a cell that there is, where the design has gaps', () => {
    const factors = { streams: [1, 2, 4], packet_rate_hz: [1000, 2000], mtu_bytes: [1500, 9000] };
    const whole = designed('gaps', factors, ['throughput_mbps']);
    const given = {
      ...whole.experiment,
      factors: whole.experiment.factors.map((f) => ({ ...f, choice: f.name === 'mtu_bytes' })),
    };
    const cells = whole.cells.filter(({ factors: own }) => own.streams !== 4 || own.packet_rate_hz !== 2000);
    const query = 'x=streams&y=packet_rate_hz&streams=4&packet_rate_hz=2000';
    const asked = (of: readonly Cell[]) => posed({ ...whole, experiment: given, cells: of }, query).question.where;
    expect(asked(whole.cells)).toMatchObject({ streams: 4, packet_rate_hz: 2000 });
    const { streams, packet_rate_hz } = asked(cells);
    expect(cells.some(({ factors: own }) => own.streams === streams && own.packet_rate_hz === packet_rate_hz)).toBe(
      true,
    );
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

  const effect = (measure: string, change_percent: number, ci95_percent: [number, number] | null) => ({
    measure,
    reference: 100,
    answer: 100 + change_percent,
    reference_ci95: null,
    answer_ci95: null,
    change: change_percent,
    change_percent,
    ci95_percent,
    gain: ci95_percent === null ? null : change_percent > 0,
    reason: null,
  });
  const reference = { mtu_bytes: 1500, delay_us: 10, workload: 'tcp' };
  const said = (rest: Parameters<typeof eight>[0]) => plain(sentenceOf(question, eight(rest), layout));

  it('is a sentence: what to set, and what it gains against what', { tags: 'fault:P3' }, () => {
    const gain = effect('throughput_mbps', 2.345, [1.6, 3.3]);
    const parts = sentenceOf(question, eight({ answer: 2, reference, effects: [gain] }), layout);
    expect(plain(parts)).toBe(
      'Set MTU 9000, delay 40 µs: throughput 196 Mb/s, 2 % more (2 to 3) than at MTU 1500, delay 10.',
    );
    expect(parts.filter((p) => p.place !== undefined).map((p) => p.place)).toEqual([2]);
    expect(said({ reference, effects: [effect('throughput_mbps', 2.345, [2.1, 2.6])] })).toMatch(
      /2\.3 % more \(2\.1 to 2\.6\) than at/,
    );
  });

  it('shows no digits that the interval of the mean does not leave', () => {
    const [best, ...others] = eight({}).candidates;
    const mean = best.means.throughput_mbps;
    const wide = { ...best, ci95: { throughput_mbps: [mean - 30, mean + 30] as [number, number] } };
    expect(plain(sentenceOf(question, eight({ candidates: [wide, ...others] }), layout))).toContain(
      'throughput 200 Mb/s',
    );
  });

  it('says what is not told apart, and a ratio where there is more than twice as much', () => {
    expect(said({ reference, effects: [effect('throughput_mbps', 0.4, [-1, 2])] })).toMatch(
      /not shown to differ \(−1 to \+2 %\) from that at MTU 1500, delay 10\.$/,
    );
    expect(said({ reference, effects: [effect('throughput_mbps', 150, null)] })).toMatch(
      /2\.5 times as much as at MTU 1500, delay 10\.$/,
    );
    expect(said({ reference, effects: [effect('throughput_mbps', -26, null)] })).toMatch(/26 % less than at MTU 1500/);
  });

  it('keeps the least where nothing gains', () => {
    expect(said({ answer: 1, reference })).toMatch(
      /199\.2 Mb\/s; no setting that keeps the limits gains more than 2 %\.$/,
    );
  });

  it('says why this one', { tags: 'fault:P2' }, () => {
    expect(whyOf(question, eight({ choices: [0, 1] }))?.replaceAll('\u00a0', ' ')).toMatch(
      /^It changes least of the 2 settings that keep the limits and lose at most 2 %/,
    );
    expect(whyOf(question, eight({ choices: [0] }))).toMatch(/^Every other setting violates a limit or loses more/);
    expect(whyOf(question, eight({ choices: [0, 1] }))).toMatch(/ By their runs: no model is in it\.$/);
    const single = answered([candidate(reference, { throughput_mbps: 1 }, { surely_allowed: null })]);
    expect(whyOf(question, single)).toMatch(/nothing is known of chance/);
    expect(chanceWords(question, single)).toBe(whyOf(question, single));
    expect(chanceWords(question, eight({ choices: [0] }))).toBeNull();
    const message = '2 settings have one run and borrow the spread of the others.';
    expect(chanceWords(question, eight({ choices: [0], message }))).toBe(message);
  });

  it('names what somebody sets, and says for which traffic', () => {
    const whole = designed('polled', { packet_rate_hz: [1000, 2000], mtu_bytes: [1500, 9000], delay_us: [10, 40] }, [
      'latency_us',
    ]);
    const factors = whole.experiment.factors.map((f) => ({ ...f, choice: f.name !== 'packet_rate_hz' }));
    const of = { ...whole, experiment: { ...whole.experiment, factors } };
    const asked = posed(of, 'x=delay_us&y=packet_rate_hz&packet_rate_hz=1000');
    const found = answered([candidate({ packet_rate_hz: 1000, mtu_bytes: 9000, delay_us: 40 }, { latency_us: 12 })]);
    expect(plain(sentenceOf(asked.question, found, asked.slice.layout)).replaceAll('\u00a0', ' ')).toMatch(
      /^Set delay 40 µs, MTU 9000( bytes)? for offered packet rate 1000 packets\/s: latency 12 µs/,
    );
  });

  it('says whose host it was', { tags: 'fault:P5' }, () => {
    expect(hostWords('emulated')).toBe('for the emulated host, not for yours');
    expect(hostWords('measured')).not.toMatch(/not for yours/);
  });

  it('is not given where the runs are not enough for one', () => {
    const none = { answer: null, choices: [], message: 'Not enough to recommend a setting: none keeps the limits.' };
    expect(said(none)).toMatch(
      /^Not enough to recommend. No setting keeps the limits. The best mean so far: MTU \d+.*\.$/,
    );
    const entangled = {
      ...none,
      message: 'Not enough to recommend a setting: no two settings differ in mtu_bytes alone.',
    };
    expect(said(entangled)).toMatch(
      /^Not enough to recommend. No two settings differ in MTU alone. The best mean so far: /,
    );
  });

  it('asks how long a packet may wait, and what each limit would set and change', () => {
    const changes = [effect('traffic_cpu_s_per_gb', -26, [-28, -24])];
    const ask = [
      { factor: 'delay_us', at_most: 40, factors: { mtu_bytes: 9000, delay_us: 40 }, effects: changes },
      { factor: 'delay_us', at_most: 100, factors: null, effects: [] },
    ];
    expect(said({ answer: null, choices: [], ask })).toMatch(/^How long may a packet wait\?/);
    const offers = offersOf(question, eight({ answer: null, choices: [], ask }), layout);
    expect(offers.map((o) => [o.limit, o.brief, o.setting].map((t) => t.replaceAll('\u00a0', ' ')))).toEqual([
      ['at most 40 µs', '≤ 40 µs', 'MTU 9000, delay 40'],
      ['at most 100 µs', '≤ 100 µs', 'no setting'],
    ]);
    expect(offers.map(({ chosen }) => chosen)).toEqual([true, false]);
    expect(offers[0].effects.map(changeWords)).toEqual(['−26\u00a0%']);
    const measures = [
      { name: 'traffic_cpu_s_per_gb', label: 'Traffic CPU time per 10⁹ bytes', unit: 's/GB' },
      { name: 'idle_cpu_percent', label: 'Idle CPU', unit: '%' },
    ];
    expect(offers[0].effects.map((e) => namedChange(e, measures))).toEqual(['CPU −26\u00a0%']);
    const idle = { ...effect('idle_cpu_percent', 2900, null), reference: 2, answer: 60 };
    expect(namedChange(idle, measures)).toBe('idle CPU 2\u00a0→\u00a060\u00a0%');
    expect(offers[0].effects.map(intervalWords)).toEqual(['−28 to −24']);
  });

  it('tells what is aimed at, what is guarded, and one measure of each other kind', () => {
    const known = { cpu: { name: 'traffic_cpu_s_per_gb' } } as Parameters<typeof tracked>[2];
    const guards = [{ measure: 'latency_us', limit: 'within current' as const, value: 10 }];
    const effects = ['latency_us', 'system_cpu_s', 'traffic_cpu_s_per_gb', 'throughput_mbps'].map((m) =>
      effect(m, 1, null),
    );
    expect(tracked(question, eight({ guards }), known, effects).map((e) => e.measure)).toEqual([
      'throughput_mbps',
      'latency_us',
      'traffic_cpu_s_per_gb',
    ]);
  });

  it('tells the slow replies, where they are known, of latency', () => {
    const known = { latency: { name: 'latency_p50_us' } } as Parameters<typeof tracked>[2];
    const told = (...measures: string[]) =>
      tracked(
        question,
        eight({ guards: [] }),
        known,
        measures.map((m) => effect(m, 1, null)),
      ).map((e) => e.measure);
    expect(told('latency_p50_us', 'latency_p99_us')).toEqual(['latency_p99_us']);
    expect(told('latency_p50_us', 'latency_p90_us')).toEqual(['latency_p50_us']);
  });

  it.each([
    ['Latency, median', 'median latency'],
    ['Latency, 99.9th percentile', 'p99.9 latency'],
    ['Latency', 'latency'],
    ['Traffic CPU time per 10⁹ bytes', 'traffic CPU'],
  ])('says %s in short', (label, short) => {
    expect(shortMeasure({ label })).toBe(short);
  });

  it('says whose default it is compared with', () => {
    const about = (basis: 'default' | "driver's default" | 'least' | 'now') =>
      referenceWords(question, { reference, basis }, layout);
    expect(about('default')).toBe(`the default, ${about('now')}`);
    expect(about("driver's default")).toBe(`the driver’s default, ${about('least')}`);
    const effects = [effect('throughput_mbps', 5, [4, 6])];
    expect(said({ reference, effects, basis: "driver's default" })).toContain('than at the driver’s default, MTU');
  });

  it('says what is kept without being asked', () => {
    const guards = [
      { measure: 'throughput_mbps', limit: 'within' as const, value: 1 },
      { measure: 'latency_us', limit: 'within current' as const, value: 10 },
    ];
    expect(guardWords(question, eight({ guards, reference }), layout, QUANTITIES)?.replaceAll('\u00a0', ' ')).toBe(
      'Guards: throughput within 1 % of its best; latency at most 10 % above MTU 1500, delay 10.',
    );
    const lossesToo = [...guards, { measure: 'drops', limit: 'within current' as const, value: 10 }];
    expect(guardWords(question, eight({ guards: lossesToo, reference }), layout, QUANTITIES)).toMatch(
      /delay 10; losses likewise\.$/,
    );
    expect(guardWords(question, eight(), layout, QUANTITIES)).toBeNull();
  });

  it.each([
    ['within=throughput_mbps:1', 'throughput within 1 % of its best'],
    ['withincurrent=throughput_mbps:5', 'throughput at most 5 % below MTU 1500, delay 10'],
    ['withincurrent=latency_us:20', 'latency at most 20 % above MTU 1500, delay 10'],
    ['atmost=latency_us:500', 'latency at most 500 µs'],
    ['atleast=throughput_mbps:200', 'throughput at least 200 Mb/s'],
  ])('says what %s asks to be kept', (limit, words) => {
    const asked = posed(lab(), `goal=cpu&${limit}`).question;
    expect(guardWords(asked, eight({ reference }), layout, QUANTITIES)?.replaceAll('\u00a0', ' ')).toBe(
      `Guards: ${words}.`,
    );
  });

  it('says that a prediction is one', { tags: 'fault:P5' }, () => {
    const model = posed(nfs(), 'goal=throughput');
    const predicted = answered([
      candidate({ mtu_bytes: 4500, delay_us: 10.24 }, { throughput_mbps: 206.3 }, { surely_allowed: null }),
    ]);
    expect(plain(sentenceOf(model.question, predicted, model.slice.layout))).toBe(
      'As the model “Request and response” predicts, no run: MTU 4500, delay 10 ticks (10.2 µs): throughput 206.3 Mb/s.',
    );
    expect(notesOf(model.question, predicted)[0]).toMatch(/No run here has throughput: the model “Request/);
  });

  it('says what to do where no setting keeps the limits', () => {
    const none = eight({
      best: null,
      answer: null,
      message: 'No setting that was measured keeps the constraints: loosen one, or measure others.',
    });
    expect(plain(sentenceOf(question, none, layout))).toMatch(/^No setting will do\..* loosen one/);
  });

  it('notes what limits it and the runs that do not count', () => {
    const found = eight({ left_out: 3, message: 'A word.', without: ['a'] });
    expect(notesOf(question, found)).toEqual([
      'A word.',
      '3 runs without what was asked about do not count.',
      'The run that this view leaves out does not count here either.',
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
    expect(standingOf(found.candidates[7], 7, found)).toBe('violates a limit');
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
    expect(readWeights('cpu:1.5,latency:0')).toEqual({ throughput: 1, cpu: 1.5, latency: 0, energy: 0 });
    expect(readWeights('joy:1')).toBe('weighs what is no goal');
    expect(readWeights('cpu:4')).toMatch(/not between 0 and 3/);
    expect(readLimits('latency_us:500', 'at most')).toEqual([{ measure: 'latency_us', limit: 'at most', value: 500 }]);
    expect(readLimits('latency_us:0', 'at most')).toMatch(/no number above zero/);
    expect(readLimits('latency_us:1,latency_us:2', 'at most')).toMatch(/twice/);
    expect(readLimits('<b>:1', 'at most')).toBe('limits what is no measure');
    expect(readCurrent('mtu_bytes:1500,delay_us:0')).toEqual({ mtu_bytes: 1500, delay_us: 0 });
    expect(readCurrent('delay_us:')).toMatch(/no level of delay_us/);
    expect(readCurrent('<b>:1')).toBe('sets what is no factor');
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

describe('measuring one’s own host', () => {
  it('is what comes next where the data say little, not where a limit is asked for', () => {
    const one = candidate({ delay_us: 10 }, { throughput_mbps: 900 });
    expect(saysLittle(answered([one]))).toBe(false);
    expect(saysLittle(answered([{ ...one, surely_allowed: null }]))).toBe(true);
    expect(saysLittle(answered([one], { answer: null }))).toBe(true);
    const ask = [{ factor: 'delay_us', at_most: 10, factors: null, effects: [] }];
    expect(saysLittle(answered([one], { answer: null, ask }))).toBe(false);
    expect(saysLittle(answered([one], { answer: null, best: null }))).toBe(false);
  });
});

describe('what gets far worse', () => {
  it('is said in the sentence, and nothing is where nothing does', () => {
    const { question, slice } = posed(lab(), 'goal=throughput');
    const power = { measure: 'package_power_w', reference: 8.5, answer: 34.8, change: 26.3, change_percent: 309 };
    const effect = { ...power, reference_ci95: null, answer_ci95: null, ci95_percent: null, gain: null, reason: null };
    const reference = { mtu_bytes: 1500, delay_us: 10, workload: 'tcp' };
    const said = (costs: string[]) =>
      plain(sentenceOf(question, eight({ answer: 2, reference, effects: [effect], costs }), slice.layout));
    expect(said(['package_power_w']).replace(/\s/g, ' ')).toMatch(
      /At a cost: power of the processor 8\.5 → 34\.8 W\.$/,
    );
    expect(said([])).not.toContain('cost');
  });

  it('says of how many runs the one value of each setting is a mean', () => {
    const { question } = posed(lab(), 'goal=throughput');
    const single = eight();
    const candidates = single.candidates.map((c) => ({ ...c, surely_allowed: null }));
    expect(whyOf(question, { ...single, candidates, means_of: 10 })).toBe(
      'One value for each setting, a mean of 10 runs or more: nothing is known of chance.',
    );
  });
});

describe('settings as good as the answer', () => {
  it('are named with what is better there, and are places to go to', () => {
    const { question, slice } = posed(lab(), 'goal=throughput');
    const cpu = { measure: 'system_cpu_percent', reference: 68, answer: 33, change: -35, change_percent: -51.5 };
    const effect = { ...cpu, reference_ci95: null, answer_ci95: null, ci95_percent: null, gain: true, reason: null };
    const answer = eight({ answer: 2, choices: [2, 3], equals: [{ place: 3, effects: [effect] }] });
    const parts = sentenceOf(question, answer, slice.layout);
    expect(plain(parts).replace(/\s/g, ' ')).toMatch(/ As good, with CPU 68 → 33 %: MTU [\d ]+, delay \d+ µs\.$/);
    expect(parts.at(-2)?.place).toBe(3);
  });
});

describe('a wait that is no delay', () => {
  it('is called by its name and unit in the question, not by its column', () => {
    const { question, slice } = posed(lab(), 'goal=throughput');
    const offer = (factor: string, at_most: number) => {
      const ask = [{ factor, at_most, factors: null, effects: [] }];
      return offersOf(question, eight({ ask }), slice.layout)[0].limit.replace(/\s/g, ' ');
    };
    expect(offer('factor.rx_frames', 8)).toBe('Frames before an interrupt at most 8');
    expect(offer('factor.gro_flush_timeout_ns', 20000)).toMatch(/^GRO flush timeout at most 20.?000 ns$/);
    expect(offer('factor.napi_defer_hard_irqs', 2)).toBe('Deferred interrupts at most 2');
    expect(offer('factor.own_wait', 2)).toBe('own_wait at most 2');
  });
});

describe('what is lost', () => {
  const { question, slice } = posed(lab(), 'goal=throughput');
  const own = { reference_ci95: null, answer_ci95: null, ci95_percent: null, reason: null };
  const drops = { ...own, measure: 'drops', reference: 0, answer: 40_000, change: 40_000, change_percent: null };
  const idle = { ...drops, measure: 'rx_interrupt_rate_hz', gain: null };

  it('is told by both values where there was nothing before', () => {
    const lost = { ...drops, gain: false };
    expect(changeWords(lost).replaceAll(/\s/g, ' ')).toBe('0 → 40 000');
    expect(briefChange(lost, 'packets').replaceAll(/\s/g, ' ')).toBe('0 → 40 000');
  });

  it('stands among what changes, as whatever got worse does', () => {
    const answer = eight({ effects: [{ ...drops, gain: false }, idle] });
    expect(tracked(question, answer, {}, answer.effects).map((e) => e.measure)).toEqual(['drops']);
  });

  it('is a guard that chance does not break', () => {
    const guards = [{ measure: 'drops', limit: 'within current', value: 10 }] as const;
    const reference = { mtu_bytes: 1500, delay_us: 10, workload: 'tcp' };
    const answer = eight({ guards: [...guards], reference });
    expect(guardWords(question, answer, slice.layout, QUANTITIES)?.replaceAll('\u00a0', ' ')).toBe(
      'Guards: losses at most 10 % above MTU 1500, delay 10.',
    );
  });
});

describe('why intervals are what they are', () => {
  it('names the measures of each reason', () => {
    const effect = { reference: 1, answer: 1, change: 0, change_percent: 0, gain: null };
    const unknown = { ci95_percent: null, reference_ci95: null, answer_ci95: null };
    const days = 'The runs of a day may share something.';
    const effects = [
      { ...effect, ...unknown, measure: 'throughput_mbps', reason: days },
      { ...effect, ...unknown, measure: 'latency_us', reason: null },
      { ...effect, ...unknown, measure: 'goodput_mbps', reason: days },
      { ...effect, ...unknown, measure: 'system_cpu_s_per_gb', reason: 'The runs drift.' },
    ];
    expect(dependenceNotes(effects, (name) => name.replace(/_.*/, ''))).toEqual([
      `throughput, goodput: ${days}`,
      'system: The runs drift.',
    ]);
  });
});
