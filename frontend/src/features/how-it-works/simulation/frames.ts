// SPDX-License-Identifier: Apache-2.0
// Frames on the wire, by rising time: evenly spaced, at random (Poisson, as far as the wire lets them) or in bursts.
import { meanGap, type Parameters, wireTime } from './parameters';
import { generator } from './random';

/** A frame has the wire from `start_us`; at `end_us` it has been received. */
export interface Frame {
  readonly start_us: number;
  readonly end_us: number;
}

/** The frames of a stream that comes whatever the receiver does, without end. */
export function* framesOf(p: Parameters): Generator<Frame, never> {
  const gap = meanGap(p);
  const wire = wireTime(p);
  if (p.spacing === 'even')
    for (let k = 1; ; k++) {
      // multiplied, not added up: rounding must not grow with the number of packets
      const end = wire + (k - 1) * gap;
      yield { start_us: end - wire, end_us: end };
    }
  const random = generator(p.seed);
  const burst = p.spacing === 'bursts' ? Math.max(1, Math.round(p.burst_packets)) : 1;
  let wanted = 0;
  let free = 0;
  for (;;) {
    wanted -= Math.log(1 - random()) * gap * burst;
    for (let k = 0; k < burst; k++) {
      const start = Math.max(wanted, free);
      free = start + wire;
      yield { start_us: start, end_us: free };
    }
  }
}
