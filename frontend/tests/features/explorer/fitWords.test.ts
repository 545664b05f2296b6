// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { inPageWords } from '../../../src/features/explorer/panel/fitWords';
import type { Slider } from '../../../src/state/fit';
import type { Layout } from '../../../src/state/layout';

const sliders = [
  { name: 'alpha', label: 'Cost of a byte' },
  { name: 'idle_load', label: 'Idle load' },
] as Slider[];
const layout = {
  x: { name: 'delay_ticks', label: 'Interrupt delay', levels: [10, 20] },
  y: { name: 'mtu_bytes', label: 'MTU', levels: [1500, 3000] },
  choices: [{ name: 'workload', label: 'Workload', levels: ['request_response', 'all'] }],
} as unknown as Layout;

test('names are those of the page, and the rest stays as it is', () => {
  expect(
    inPageWords(
      'It is farthest off at mtu_bytes 1500, delay_ticks 20, workload request_response: by 12 %. No interval is ' +
        'sure: those given include the misfit, and hold if it differs at random from setting to setting. Methods disagree: alpha is 0.303 (0.256 to 0.352) by ' +
        'ols, 0.05 by whitened and 0.3 by ols-hc3; idle_load is 2 by paper-tls.',
      sliders,
      layout,
    ),
  ).toBe(
    'It is farthest off at MTU 1500, delay 20, workload request response: by 12 %. No interval is ' +
      'sure: those given include the misfit, and hold if it differs at random from setting to setting. Methods disagree: α is 0.303 (0.256 to 0.352) by ' +
      'least squares, 0.05 by whitened and 0.3 by least squares, HC3; idle load is 2 by Paper TLS.',
  );
});
