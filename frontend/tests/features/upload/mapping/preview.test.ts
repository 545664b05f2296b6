// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Cell, Experiment } from '../../../../src/api/types';
import { previewOf } from '../../../../src/features/upload/mapping/preview';

const BOX = { left: 44, top: 24, width: 280, height: 184 };
const MTUS = [1500, 9000];
const DELAYS = [10, 50, 200];

function cells(left: readonly { mtu: number; delay: number }[]): Cell[] {
  return left.map(({ mtu, delay }, id) => ({
    id,
    factors: { mtu_bytes: mtu, delay_us: delay },
    runs: 1,
    partial_runs: 0,
    measures: { throughput_mbps: { n: 1, mean: mtu / 10 + delay, sd: null, ci95: null } },
  }));
}

const experiment = {
  slug: '',
  title: 'Lab',
  kind: 'measured',
  factors: [
    { name: 'mtu_bytes', label: 'MTU', unit: 'bytes', levels: MTUS },
    { name: 'delay_us', label: 'Interrupt delay', unit: 'µs', levels: DELAYS },
  ],
  measures: [{ name: 'throughput_mbps', label: 'Throughput', unit: 'Mb/s' }],
  default_view: { measure: '', x: 'delay_us', y: 'mtu_bytes', where: {} },
} as unknown as Experiment;

const whole = MTUS.flatMap((mtu) => DELAYS.map((delay) => ({ mtu, delay })));

describe('the preview of a table', () => {
  it('is a surface over a whole grid, through its cells', () => {
    const preview = previewOf(experiment, cells(whole), 'throughput_mbps', BOX);
    expect(preview?.plane).toBe(true);
    expect(preview?.points).toHaveLength(6);
    expect(preview?.xTitle).toBe('Interrupt delay, µs');
    expect(preview?.yTitle).toBe('MTU, bytes');
    const surface = preview?.surface;
    expect(surface?.z[0]).toBeCloseTo(160, 6);
    expect(surface?.z[surface.z.length - 1]).toBeCloseTo(1100, 6);
  });

  it('has cells alone where one is missing', () => {
    const preview = previewOf(experiment, cells(whole.slice(1)), 'throughput_mbps', BOX);
    expect(preview?.surface).toBeNull();
    expect(preview?.points).toHaveLength(5);
  });

  it('stands the measure upward where one factor was varied', () => {
    const line = whole.filter(({ mtu }) => mtu === 1500);
    const preview = previewOf(experiment, cells(line), 'throughput_mbps', BOX);
    expect(preview?.plane).toBe(false);
    expect(preview?.yTitle).toBe('Throughput, Mb/s');
    const heights = preview?.points.map(({ py }) => py) ?? [];
    expect(heights).toEqual([...heights].sort((a, b) => b - a));
  });

  it('is nothing without the measure', () => {
    expect(previewOf(experiment, cells(whole), 'goodput_mbps', BOX)).toBeNull();
  });
});
