// SPDX-License-Identifier: Apache-2.0
// What a sweep is about to measure, beside what is measured.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/engine/catalogue';
import { slicesOf } from '../../src/state/dataSlice';
import { fromQuery } from '../../src/state/link';
import { plannedCells } from '../../src/state/planned';
import { viewOf } from '../../src/state/view';
import { schemaOf } from '../../src/state/viewSchema';
import { designed } from '../designs';

const PLAN = [1500, 9000].flatMap((mtu_bytes) => [0, 40, 80, 160].map((delay_us) => ({ mtu_bytes, delay_us })));

function viewed(measured: Parameters<typeof designed>[1], plan: typeof PLAN, query = '') {
  const lab = designed('lab', measured, ['throughput_mbps']);
  const subject = { ...lab, planned: plannedCells(plan, lab.cells) };
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(query, schemaOf(subject, slices));
  return viewOf(subject, slices, state, null, false);
}

describe('planned cells', () => {
  it('span the picture before they are measured', () => {
    const { layout, points, slice } = viewed({ mtu_bytes: [1500], delay_us: [0] }, PLAN);
    expect(layout.shape).toBe('plane');
    expect(layout.x?.levels).toEqual([0, 40, 80, 160]);
    expect(points).toHaveLength(1);
    expect(slice.toCome).toHaveLength(7);
    expect(slice.toCome).not.toContainEqual({ x: 0, y: 1500 });
  });

  it('are those that a device took within 2 %, and no others', () => {
    const near = viewed({ mtu_bytes: [1500, 9000], delay_us: [0, 40.7] }, PLAN);
    expect(near.layout.x?.levels).toEqual([0, 40.7, 80, 160]);
    expect(near.slice.toCome).toHaveLength(4);
    const far = viewed({ mtu_bytes: [1500, 9000], delay_us: [0, 42] }, PLAN);
    expect(far.slice.toCome).toHaveLength(6);
  });

  it('leave the surface where it is: between what was measured', () => {
    const { field } = viewed({ mtu_bytes: [1500, 9000], delay_us: [0, 40, 80] }, PLAN, 'model=none');
    expect(field).not.toBeNull();
  });

  it('are of the levels that are looked at', () => {
    const both = { mtu_bytes: [1500, 9000], delay_us: [0, 40], workload: ['tcp', 'udp'] };
    const plan = PLAN.map((setting) => ({ ...setting, workload: 'udp' }));
    expect(viewed(both, plan, 'workload=udp').slice.toCome).toHaveLength(4);
    expect(viewed(both, plan, 'workload=tcp').slice.toCome).toEqual([]);
  });

  it('are none when all is measured, or nothing is planned', () => {
    const all = { mtu_bytes: [1500, 9000], delay_us: [0, 40, 80, 160] };
    expect(viewed(all, PLAN).slice.toCome).toEqual([]);
    expect(viewed(all, []).slice.toCome).toEqual([]);
  });
});
