// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { askedOf, type Choice, requestOf } from '../../../src/features/workshop/fitting';
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
