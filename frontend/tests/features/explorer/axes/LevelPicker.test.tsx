// @vitest-environment happy-dom
// SPDX-License-Identifier: Apache-2.0
import { act } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { LevelPicker, narrowed } from '../../../../src/features/explorer/axes/LevelPicker';
import { render } from '../../render';

const OPTIONS = Array.from({ length: 140 }, (_, i) => ({
  value: `node-${i}`,
  label: `node-${i} rack-${i % 4}`,
  note: '12 cells',
  unavailable: i === 7,
}));

async function opened(onChange: (value: string) => void): Promise<HTMLElement> {
  const host = await render(<LevelPicker label="Host" options={OPTIONS} value="node-3" onChange={onChange} />);
  const box = host.querySelector('[popover]');
  for (const type of ['beforetoggle', 'toggle'])
    await act(async () => {
      box?.dispatchEvent(Object.assign(new Event(type), { newState: 'open' }));
    });
  return host;
}

async function type(host: HTMLElement, text: string): Promise<void> {
  const input = host.querySelector('input') as HTMLInputElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

async function press(host: HTMLElement, key: string): Promise<void> {
  await act(async () => {
    host.querySelector('input')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  });
}

describe('a long list of levels', () => {
  it('takes one line until it is opened, and never lists all of them', async () => {
    const host = await render(<LevelPicker label="Host" options={OPTIONS} value="node-3" onChange={() => {}} />);
    expect(host.querySelector('button')?.getAttribute('aria-label')).toBe('Host: node-3 rack-3');
    expect(host.querySelectorAll('[role="option"]')).toHaveLength(0);
    const open = await opened(() => {});
    expect(open.querySelectorAll('[role="option"]')).toHaveLength(100);
    expect(open.textContent).toContain('40 more: type to narrow');
  });

  it('is narrowed by words in any order, and chosen from by keys', async () => {
    expect(narrowed(OPTIONS, 'RACK-1 node-13').map((o) => o.value)).toEqual(['node-13', 'node-133', 'node-137']);
    const onChange = vi.fn();
    const host = await opened(onChange);
    await type(host, 'rack-1 node-13');
    expect(host.querySelectorAll('[role="option"]')).toHaveLength(3);
    await press(host, 'ArrowDown');
    await press(host, 'Enter');
    expect(onChange).toHaveBeenCalledWith('node-133');
  });

  it('does not choose what has no cells, and says when nothing is found', async () => {
    const onChange = vi.fn();
    const host = await opened(onChange);
    await type(host, 'node-7 ');
    await press(host, 'Enter');
    expect(host.querySelector('[aria-disabled]')?.textContent).toContain('node-7 ');
    expect(onChange).not.toHaveBeenCalled();
    await type(host, 'tape');
    expect(host.textContent).toContain('No level has that in its name.');
  });
});
