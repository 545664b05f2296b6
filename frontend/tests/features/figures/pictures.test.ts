// SPDX-License-Identifier: Apache-2.0
// Charts as golden SVG: what is drawn, without a browser.
import { describe, expect, it } from 'vitest';
import type { Figure } from '../../../src/features/figures/definition';
import { FIGURES, figureById } from '../../../src/features/figures/definitions';
import { painter } from '../../../src/features/figures/render/painter';
import { fileText } from '../../../src/plots/file';
import { LETTER_PX, type Shape } from '../../../src/plots/shapes';
import { DATA } from './data';

const TOKENS = new Proxy({}, { get: (_, name: string) => `token${name}` }) as Record<string, string>;
const WIDE = { width: 760, height: 380, small: false };
const PHONE = { width: 350, height: 380, small: false };
const SMALL = { width: 240, height: 180, small: true };

function shapesOf(id: string, panel = 0, size = WIDE, data = DATA): Shape[] {
  const found = (figureById(id) as Figure).panels[panel];
  if (found.form === 'table') throw new Error(`${id} is a table`);
  return painter(found, data, size.small)(size);
}

const svg = (shapes: readonly Shape[], { width, height }: typeof WIDE): string =>
  fileText({ width, height, title: '', description: '', before: '', shapes, tokens: TOKENS });

const words = (shapes: readonly Shape[]): string[] =>
  shapes.filter((s) => s.tag === 'text').map((s) => s.text ?? (s.spans ?? []).map((p) => p.text).join(''));

describe('golden pictures', () => {
  it.each([
    ['geist-2005-figure-2', 0, WIDE, 'packets-per-interrupt'],
    ['geist-2005-figure-11', 0, PHONE, 'nfs-throughput-phone'],
    ['geist-2005-figure-14', 0, WIDE, 'tcp-surface'],
    ['zec-2002-figure-5', 0, SMALL, 'tcp-throughput-small'],
    ['dillon-2004-streams', 0, WIDE, 'streams'],
  ] as const)('%s, panel %d', async (id, panel, size, name) => {
    await expect(svg(shapesOf(id, panel, size), size)).toMatchFileSnapshot(`./golden/${name}.svg`);
  });
});

describe('where the pointer rests', () => {
  const said = (id: string, data = DATA) => shapesOf(id, 0, WIDE, data).flatMap(({ title }) => title ?? []);
  const NUMBER = String.raw`[\d\u2009.e−-]+`;

  it('each cell on a surface says its place, its value and what is known of it', () => {
    const cells = (DATA['virtual-testbed'] ?? []).map((cell) => ({
      ...cell,
      factors: { ...cell.factors, workload: 'tcp' },
    }));
    const titles = said('geist-2005-figure-14', { 'virtual-testbed': cells });
    expect(titles).toContain('emulated, at 1.77 and 1500: 300 ± 4, n = 10');
    for (const words of titles)
      expect(words).toMatch(new RegExp(`^emulated, at ${NUMBER} and 1500: ${NUMBER} ± ${NUMBER}, n = 10$`));
  });

  it('each bar says its name and its value', () => {
    const titles = said('dillon-2004-streams');
    expect(titles.length).toBe(10);
    for (const words of titles) expect(words).toMatch(new RegExp(`^\\d+, published: ${NUMBER}$`));
  });
});

describe('every panel at every size', () => {
  const panels = FIGURES.flatMap((f) => f.panels.map((p, i) => [f.id, i, p.form] as const)).filter(
    ([, , form]) => form !== 'table',
  );

  it.each(panels)('%s, panel %d is drawn without a broken number, with and without its data', (id, panel) => {
    const ways = [
      [WIDE, DATA],
      [PHONE, {}],
      [SMALL, DATA],
    ] as const;
    for (const [size, data] of ways)
      expect(svg(shapesOf(id, panel, size, data), size)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('a small multiple', () => {
  const small = FIGURES.filter(({ panels: [first] }) => first.form !== 'table');

  it.each([171, 200, 240, 300])('of %d px says what its axes show, each with its unit, within its room', (width) => {
    for (const { id, panels } of small) {
      const [panel] = panels;
      if (panel.form === 'table') continue;
      const titles = shapesOf(id, 0, { ...SMALL, width }).filter(
        (s) => s.tag === 'text' && (s.attributes.y === 12 || s.attributes.y === SMALL.height - 4),
      );
      expect([id, titles.length]).toEqual([id, 2]);
      const axes = [panel.y, panel.x];
      words(titles).forEach((title, i) => {
        const [name, unit] = title.split(', ');
        expect([id, name]).not.toEqual([id, '']);
        if (axes[i].unit !== '') expect([title, unit]).not.toEqual([title, undefined]);
        expect(Number(titles[i].attributes.x) + title.length * LETTER_PX.sentence).toBeLessThanOrEqual(width);
      });
    }
  });
});

describe('marks', () => {
  it('of published numbers come last, above all others', () => {
    const shapes = shapesOf('geist-2005-figure-2');
    const squares = shapes.filter(
      (s) => s.attributes.stroke === 'var(--ground)' && /h.*v.*h.*Z$/.test(String(s.attributes.d)),
    );
    expect(squares).toHaveLength(8);
    expect(shapes.slice(-8)).toEqual(squares);
  });

  it('of emulated cells are filled diamonds, and are absent until the cells are known', () => {
    const diamonds = (shapes: readonly Shape[]) =>
      shapes.filter((s) => s.attributes.stroke === 'var(--ground)' && /L.*L.*L.*Z$/.test(String(s.attributes.d)));
    expect(diamonds(shapesOf('geist-2005-figure-2'))).toHaveLength(3);
    expect(diamonds(shapesOf('geist-2005-figure-2', 0, WIDE, {}))).toHaveLength(0);
  });

  it('on a phone have their names in rows above the plot', () => {
    const names = shapesOf('geist-2005-figure-2', 0, PHONE).filter((s) => s.attributes['font-weight'] === 600);
    expect(words(names)).toEqual(['MTU 1500', '3000', '4500', '6000']);
    expect(new Set(names.map((s) => s.attributes.y)).size).toBe(1);
  });

  it('of a small multiple are named where there are several', () => {
    const named = (id: string) => words(shapesOf(id, 0, SMALL).filter((s) => s.attributes['font-weight'] === 600));
    expect(named('geist-2005-figure-2')).toEqual(['MTU 1500', '3000', '4500', '6000']);
    // where they have no room beside the plot they would cover it
    expect(named('chase-1999-figure-3')).toEqual([]);
    expect(words(shapesOf('geist-2005-figure-2', 0, { ...SMALL, width: 171 }))).not.toContain('MTU 1500');
  });

  it('beyond the axes are not drawn', () => {
    const outside = {
      'virtual-testbed': (DATA['virtual-testbed'] ?? []).map((c) => ({
        ...c,
        factors: { ...c.factors, delay_ticks: 1e6 },
      })),
    };
    expect(shapesOf('geist-2005-figure-2', 0, WIDE, outside)).toEqual(shapesOf('geist-2005-figure-2', 0, WIDE, {}));
  });
});
