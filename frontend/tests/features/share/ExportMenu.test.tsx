// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExportMenu } from '../../../src/features/share/ExportMenu';
import { useFigureExport } from '../../../src/features/share/figureExport';
import { press, render } from '../render';

function Figure({ svg }: { svg: () => string }) {
  useFigureExport({ title: 'System CPU', svg, csvHref: '/api/experiments/x/export?format=csv' });
  return null;
}

const items = (page: HTMLElement) =>
  [...page.querySelectorAll('[role=menuitem]')].map((item) => [
    item.querySelector('span')?.textContent,
    item.getAttribute('aria-disabled') === 'true' ? item.querySelector('small')?.textContent : 'offered',
  ]);

afterEach(() => vi.unstubAllGlobals());

describe('the export menu', () => {
  it('keeps what cannot be had, with the reason', async () => {
    const page = await render(<ExportMenu />);
    expect(items(page)).toEqual(
      ['SVG', 'PNG', 'CSV', 'JSON', 'Offline page, one file'].map((name) => [name, 'open an experiment first']),
    );
  });

  it('offers what the page on the screen registered', async () => {
    const page = await render(
      <>
        <Figure svg={() => '<svg/>'} />
        <ExportMenu />
      </>,
    );
    expect(items(page)).toEqual([
      ['SVG', 'offered'],
      ['PNG', 'offered'],
      ['CSV', 'offered'],
      ['JSON', 'this page has no data'],
      ['Offline page, one file', 'this page has no view that fits in a file'],
    ]);
  });

  it('asks for the figure when it is chosen, and says when that failed', async () => {
    const svg = vi.fn(() => {
      throw new Error('Fonts did not load.');
    });
    const page = await render(
      <>
        <Figure svg={svg} />
        <ExportMenu />
      </>,
    );
    expect(svg).not.toHaveBeenCalled();
    await press(page.querySelector('[role=menuitem]'));
    await vi.waitFor(() => expect(page.textContent).toContain('Not saved'));
    expect(svg).toHaveBeenCalledOnce();
    expect(page.textContent).toContain('Not saved: Fonts did not load.');
  });
});
