// SPDX-License-Identifier: Apache-2.0
// What a careful person would write for the CPU overhead surface: the peer of the printed kernel.

/** T per 10⁹ bytes on an nx × ny grid: 1000 α + 10⁶ / (φ MTU) (β + γ / PPI); MTU and φ by row. */
export function overrides(
  mtuBytes: Float64Array,
  packetsPerInterrupt: Float64Array,
  packetFill: Float64Array,
  alpha: number,
  beta: number,
  gamma: number,
  nx: number,
  ny: number,
  out: Float64Array,
): Float64Array {
  for (let j = 0; j < ny; j++) {
    const kilopackets = 1e6 / (packetFill[j]! * mtuBytes[j]!);
    for (let i = 0; i < nx; i++) {
      const at = j * nx + i;
      out[at] = 1000 * alpha + kilopackets * (beta + gamma / packetsPerInterrupt[at]!);
    }
  }
  return out;
}
