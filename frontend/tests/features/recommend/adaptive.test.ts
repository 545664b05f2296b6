// SPDX-License-Identifier: Apache-2.0
// What is said of adaptive moderation, of trials as the server answers them.
import { describe, expect, it } from 'vitest';
import type { PolicyTrial } from '../../../src/api/types';
import { adaptiveWords, trafficOf } from '../../../src/features/recommend/adaptive';

type Proposal = NonNullable<PolicyTrial['proposal']>;

const shipped = (percent: number): Proposal => ({
  shipped: [
    { policy: 'dim', cost_percent: percent },
    { policy: 'dim-completions', cost_percent: percent + 1 },
  ],
  profile_us: null,
  rx_profile: null,
  cost_percent: null,
  wrong: [],
});

function said(proposal: Proposal): string {
  const fixed = [10, 20.48].map((interval_us) => ({ interval_us })) as PolicyTrial['fixed'];
  const trial = { fixed, best: 1, proposal, recorded: null } as unknown as PolicyTrial;
  return adaptiveWords(trial).join(' ').replaceAll('\u00a0', ' ');
}

describe('adaptive moderation', () => {
  it('fits, if one of the shipped profiles costs little more than the best fixed interval', () => {
    expect(said(shipped(3.84))).toContain('is 3.8 % dearer than the best fixed interval, 20.5 µs. It fits');
  });

  it('is proposed where none fits, with what it costs to be wrong about the load', () => {
    const words = said({
      ...shipped(30),
      profile_us: [1, 4, 8, 14, 20],
      cost_percent: 2,
      wrong: [
        { load: 0.5, cost_percent: 12, shipped_cost_percent: 20 },
        { load: 2, cost_percent: -1, shipped_cost_percent: 40 },
      ],
    });
    expect(words).toContain('A profile of 1, 4, 8, 14, 20 µs would be 2 % dearer.');
    expect(words).toContain('If the load is half as high, it is 12 % dearer, the better shipped one 20 % dearer.');
    expect(words).toContain('twice as high, it is 1 % cheaper, the better shipped one 40 % dearer.');
  });

  it('is not proposed where nothing that was tried is cheaper, and that is not called a fit', () => {
    const words = said(shipped(30));
    expect(words).toContain('none is cheaper');
    expect(words).not.toContain('fits');
  });

  it('is played over what a setting has beside the delay', () => {
    expect(trafficOf({ mtu_bytes: 4500, delay_ticks: 10, workload: 'tcp' })).toEqual({
      mtu_bytes: 4500,
      workload: 'tcp',
    });
  });
});
