// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { Rich } from '../../src/components/Rich';
import { draw } from '../../src/layers/svg';
import { text } from '../../src/plots/shapes';
import { render } from '../features/render';

it('has raised digits in its text, so that nobody hears 109', { tags: 'fault:P18' }, async () => {
  const page = await render(<Rich>jiffies per 10⁹ bytes, 10⁻⁶ s</Rich>);
  expect(page.textContent).toBe('jiffies per 10⁹ bytes, 10⁻⁶ s');
  expect([...page.querySelectorAll('.raised')].map((each) => each.getAttribute('data-up'))).toEqual(['9', '−6']);
});

it('says raised digits in a drawing, too, and stops when they are gone', { tags: 'fault:P18' }, () => {
  const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  draw(group, [text(0, 0, 'per 10⁹ bytes', {})]);
  expect(group.firstElementChild?.getAttribute('aria-label')).toBe('per 10⁹ bytes');
  draw(group, [text(0, 0, 'packets', {})]);
  expect(group.firstElementChild?.hasAttribute('aria-label')).toBe(false);
  expect(group.firstElementChild?.hasAttribute('role')).toBe(false);
});
