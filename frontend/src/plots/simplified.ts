// SPDX-License-Identifier: Apache-2.0
// A curve of fewer points that looks the same.

export type Pen = Pick<CanvasPath, 'moveTo' | 'lineTo'>;

/** Pixels. A stroke that is off by less looks no different. */
const OFF = 0.15;

/**
 * A pen for a curve that goes from left to right: it leaves out points that lie within `OFF` above or below the straight line between those it
 * keeps. `end` draws the last one.
 */
export function simplified(pen: Pen): Pen & { end(): void } {
  let fromX = 0;
  let fromY = 0;
  let lastX = 0;
  let lastY = 0;
  // slopes from the point that was kept last that pass near all since
  let least = 0;
  let most = 0;
  let waits = false;
  const keep = (x: number, y: number): void => {
    fromX = x;
    fromY = y;
    least = Number.NEGATIVE_INFINITY;
    most = Number.POSITIVE_INFINITY;
    waits = false;
  };
  const narrow = (x: number, y: number): void => {
    const dx = x - fromX;
    least = Math.max(least, (y - OFF - fromY) / dx);
    most = Math.min(most, (y + OFF - fromY) / dx);
    lastX = x;
    lastY = y;
    waits = true;
  };
  const end = (): void => {
    if (waits) pen.lineTo(lastX, lastY);
    waits = false;
  };
  return {
    moveTo(x, y) {
      end();
      pen.moveTo(x, y);
      keep(x, y);
    },
    lineTo(x, y) {
      const slope = (y - fromY) / (x - fromX);
      if (waits && !(slope >= least && slope <= most)) {
        pen.lineTo(lastX, lastY);
        keep(lastX, lastY);
      }
      narrow(x, y);
    },
    end,
  };
}
