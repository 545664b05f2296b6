// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { frameOf } from '../../../src/features/explorer/figure/frame';
import { samplerOf, seriesOf } from '../../../src/features/explorer/figure/live';
import { labelPlace, lineLabels } from '../../../src/features/explorer/figure/names';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import { viewOf } from '../../../src/state/view';
import { schemaOf } from '../../../src/state/viewSchema';
import { nfs, paperFit } from '../../published';

/** Half the height of the letters and half of a point. */
const CLEAR_PX = 9;

it.each([320, 358, 390, 520])('at %d px no name of a line lies on one of its points', (width) => {
  const subject = nfs();
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery('', schemaOf(subject, slices));
  const view = viewOf(subject, slices, state, paperFit(), false, null);
  const frame = frameOf(view, view.values, width, 480);
  const sampler = samplerOf(view, frame, seriesOf(view, state, slices), state.frames);
  const live = sampler.live(state);
  const k = labelPlace(view, frame, live, sampler.lineXs, 0);
  const names = lineLabels(view, frame, live, sampler.lineXs, k);
  const drawn = live.curves.flatMap(({ series }) => series ?? []);
  expect(names).toHaveLength(drawn.length);
  names.forEach(({ attributes, text: words }, i) => {
    const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(String(attributes.transform)) ?? [];
    const half = (String(words).length * 7) / 2;
    for (const point of drawn[i].points)
      if (Math.abs(frame.x(point.x) - Number(x)) < half)
        expect(Math.abs(frame.v(point.mean) - (Number(y) - 4)), `${words} at ${point.x}`).toBeGreaterThanOrEqual(
          CLEAR_PX,
        );
  });
});
