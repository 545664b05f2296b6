// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Fit } from '../../../src/api/types';
import { catalogue } from '../../../src/engine/catalogue';
import { parametersText } from '../../../src/features/explorer/figureFile';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { nfs, paperFit } from '../../published';

const FOUND = {
  f: 1139.9,
  model_degrees_of_freedom: 24,
  noise_degrees_of_freedom: 243,
  p_value: 6e-235,
  misfit_percent: 5.6,
  noise_percent: 0.52,
  bounded: false,
};

function written(message: string | null, rejected: boolean | null, query = '', identifiable = true): string {
  const fit: Fit = { ...paperFit(), identifiable };
  const diagnostics = { ...fit.diagnostics, lack_of_fit: rejected === null ? null : { ...FOUND, rejected } };
  const subject = nfs();
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  return parametersText(viewOf(subject, slices, state, { ...fit, message, diagnostics }, false), state);
}

const REJECTED =
  'The replicates reject the model: cells deviate from it by 5.6 %, runs from their cell by 0.52 % (F(24, 243) = 1,140). ' +
  'It is farthest off at mtu_bytes 1500, delay_ticks 20: by 12 %.';

test('a file says of a rejected model where it is farthest off, in the words of the page', () => {
  const said = written(REJECTED, true);
  expect(said).toMatch(/^alpha 0.812997 jiffies\/MB · .* · by paper-tls · The replicates reject the model/);
  expect(said).toContain('F(24, 243) = 1,140). It is farthest off at MTU 1500, delay 20: by 12 %.');
  expect(said.match(/F\(24, 243\)/g)).toHaveLength(1);
});

test('a file names what is poorly determined, beside what the replicates say', () => {
  const poor = 'Poorly determined: gamma (standard error 60 % of its estimate). Measure further settings.';
  expect(written(poor, false)).toMatch(
    /the replicates do not reject the model: F\(24, 243\) = .* · Poorly determined: γ \(standard error 60 % /,
  );
  expect(written(poor, null)).toMatch(/ · by paper-tls · Poorly determined: γ \(/);
});

test('of parameters that were moved by hand a file says nothing of the fit', () => {
  expect(written(REJECTED, true, 'gamma=1.25')).toMatch(/^alpha \S+ jiffies\/MB · beta .* · gamma 1.25 jiffies\/\w+$/);
  expect(written(null, null)).toMatch(/ · by paper-tls$/);
});

test('a file of cells that do not tell the parameters apart says that its values are the published ones', () => {
  const why = 'delay_ticks has one level: gamma cannot be told apart.';
  expect(written(why, null, 'model=cpu-overhead-surface', false)).toMatch(
    / · published values, not estimated from these cells · .* cannot be told apart\.$/,
  );
});
