// SPDX-License-Identifier: Apache-2.0
/** Spreads labels along a line so that none is nearer than `gap` to the next, moving them as little as it can; evenly where they have no room. */
export function dodge(ys: readonly number[], gap: number, lo = -1e9, hi = 1e9): number[] {
  const order = ys.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  for (let round = 0; round < 60; round++) {
    let moved = false;
    for (let i = 1; i < order.length; i++) {
      const lack = gap - (order[i].y - order[i - 1].y);
      if (lack <= 0.01) continue;
      order[i].y += lack / 2;
      order[i - 1].y -= lack / 2;
      moved = true;
    }
    for (const p of order) p.y = Math.max(lo, Math.min(hi, p.y));
    if (!moved) break;
  }
  // many that stand at an end are not apart yet
  const last = order.length - 1;
  const apart = Math.min(gap - 0.01, (hi - lo) / last);
  for (let i = 1; i <= last; i++) order[i].y = Math.max(order[i].y, order[i - 1].y + apart);
  for (let i = last; i >= 0; i--) order[i].y = Math.min(order[i].y, i < last ? order[i + 1].y - apart : hi);
  const out = new Array<number>(ys.length);
  for (const p of order) out[p.i] = p.y;
  return out;
}
