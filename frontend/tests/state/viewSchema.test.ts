// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { designed } from '../designs';
import { experimentOf } from '../published';
import { look } from './look';

describe('the crosshair starts', () => {
  const made = designed('scattered', { packet_rate_hz: [1000, 2000, 4000], queues: [1, 2, 4] }, ['latency_us']);
  const startOver = (cells: typeof made.cells) => {
    const subject = { ...made, experiment: experimentOf('scattered', cells), cells };
    const { state } = look(subject, 'x=queues&y=packet_rate_hz&measure=latency_us', false);
    return [state.x, state.y];
  };

  it('in the middle of what was measured', () => {
    expect(startOver(made.cells)).toEqual([2, 2000]);
  });

  it('at a cell where nothing is drawn between them', () => {
    const diagonal = made.cells.filter(({ factors: { packet_rate_hz: rate, queues } }) =>
      [1004, 2001, 4002].includes(Number(rate) + Number(queues)),
    );
    expect(startOver(diagonal)).toEqual([1, 2000]);
  });
});

it('opens at levels that have cells beside those that the data set opens with', () => {
  const { experiment, cells } = designed('sparse', { host: ['a', 'b', 'c', 'd'], mtu_bytes: [1500, 8192] }, [
    'goodput_mbps',
  ]);
  const own = cells.filter(({ factors }) => (factors.host === 'a') === (factors.mtu_bytes === 8192));
  const opening = { measure: 'goodput_mbps', x: 'mtu_bytes', y: null, where: { host: 'a' } };
  const data = { of: 'experiment' as const, experiment: { ...experiment, default_view: opening }, cells: own };
  const { view, state } = look(data, 'y=none', false);
  expect(state.where).toEqual({ host: 'a', mtu_bytes: 8192 });
  expect(view.points).toHaveLength(1);
});
