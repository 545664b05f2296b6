// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Experiment } from '../../../src/api/types';
import { askedOf, type Choice, requestOf, startingLevels } from '../../../src/features/workshop/fitting';
import type { UserDocument } from '../../../src/state/userModel';

const document = { parameters: [{ name: 'a', default: 1 }], inputs: [], json: {} } as unknown as UserDocument;
const choice: Choice = { output: 'y', response: 'latency_us', free: ['a'], held: {}, where: {}, robust: false };

test('a robust fit is asked of the server, and kept by the address', () => {
  const asked = requestOf(document, { ...choice, robust: true }, {});
  expect(asked.robust).toBe(true);
  expect(askedOf(document, 'lab', asked).robust).toBe(true);
  const plain = requestOf(document, choice, {});
  expect(plain).not.toHaveProperty('robust');
  expect(askedOf(document, 'lab', plain)).not.toHaveProperty('robust');
});

const lab = {
  factors: [{ name: 'workload', label: 'Workload', levels: ['nfs', 'tcp', 'udp'] }],
} as unknown as Experiment;

test('a fit of several levels is asked of the server, and comes back from the address', () => {
  expect(startingLevels(lab, null)).toEqual({ workload: 'nfs' });
  const several: Choice['where'][] = [{ workload: 'tcp,udp' }, {}];
  for (const where of several) {
    const request = requestOf(document, { ...choice, where }, {});
    expect(request.where).toEqual(where);
    expect(startingLevels(lab, askedOf(document, 'lab', request))).toEqual(where);
  }
  const gone = { ...askedOf(document, 'lab', requestOf(document, choice, {})), where: { workload: 'tcp,sctp' } };
  expect(startingLevels(lab, gone)).toEqual({ workload: 'nfs' });
});
