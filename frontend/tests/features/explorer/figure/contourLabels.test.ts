// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { uprightAngle } from '../../../../src/features/explorer/figure/contourLabels';

const turned = (degrees: number): number => {
  const at = (degrees * Math.PI) / 180;
  return Math.round(uprightAngle(Math.cos(at), Math.sin(at)));
};

it('turns words along a line upright, from whichever end it is drawn', () => {
  for (const degrees of [-75, -30, 0, 30, 75]) {
    expect(turned(degrees)).toBe(degrees);
    expect(turned(degrees + 180)).toBe(degrees);
  }
});

it('reads upwards along all lines that are nearly vertical', () => {
  for (const degrees of [81, 90, 99]) {
    expect(turned(degrees)).toBe(degrees - 180);
    expect(turned(degrees - 180)).toBe(degrees - 180);
  }
});
