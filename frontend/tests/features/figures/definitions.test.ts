// SPDX-License-Identifier: Apache-2.0
// A figure invents nothing: its numbers are rows of data sets, statements of the documents, or inputs inside their domains.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Quantity } from '../../../src/api/types';
import { catalogue, modelById } from '../../../src/engine/catalogue';
import type { Figure, LinesPanel, ModelUse, Panel, Term } from '../../../src/features/figures/definition';
import { documentOf, FIGURES, figureById } from '../../../src/features/figures/definitions';
import { modelOf, rowOf } from '../../../src/features/figures/evaluate';
import { experimentsOf, modelsOf } from '../../../src/features/figures/inputs';
import { resolve } from '../../../src/features/figures/resolve';
import { barsOf, rowsOf } from '../../../src/features/figures/table';
import { slicesOf } from '../../../src/state/dataSlice';
import { fromQuery } from '../../../src/state/link';
import type { Subject } from '../../../src/state/subject';
import { schemaOf } from '../../../src/state/viewSchema';
import { published } from '../../published';
import { DATA, PUBLISHED } from './data';

const repository = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const PRINTED = repository('docs/published-vs-predicted.md');
const RAW_TABLE_2 = repository('datasets/geist-2005-nfs/raw/table-2.csv').trim().split('\n');

const linesOf = (figure: Figure): LinesPanel[] => figure.panels.filter((p): p is LinesPanel => p.form === 'lines');

const contains = ({ domain: [lo, hi] }: Pick<Quantity, 'domain'>, v: number): boolean =>
  (lo === null || lo === undefined || v >= lo) && (hi === null || hi === undefined || v <= hi);

interface Use {
  readonly use: ModelUse;
  readonly varying: readonly string[];
}

function usesOf(panel: Panel): Use[] {
  if (panel.form === 'heat') return [{ use: panel.model, varying: [panel.model.across, panel.model.up] }];
  if (panel.form === 'bars')
    return 'model' in panel.bars ? [{ use: panel.bars.model, varying: [panel.bars.along] }] : [];
  if (panel.form === 'table')
    return panel.columns.flatMap(({ value }) =>
      'use' in value ? [{ use: value.use, varying: Object.keys(value.inputs) }] : [],
    );
  return panel.sources.flatMap((s): Use[] => {
    if (s.from === 'model-at-cells') return [{ use: s, varying: Object.keys(s.inputs) }];
    if (s.from !== 'model') return [];
    const own = Object.values(s.per)[0] ?? {};
    return [{ use: s, varying: [s.along, ...Object.keys(own), ...(s.calibrate ? [s.calibrate.parameter] : [])] }];
  });
}

describe('the list of figures', () => {
  it('has what was asked for', () => {
    const ids = FIGURES.map((f) => f.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining([
        'geist-2005-table-2',
        ...Array.from({ length: 14 }, (_, i) => `geist-2005-figure-${i + 1}`),
        ...[1, 2, 4, 5, 6, 7, 8].map((n) => `zec-2002-figure-${n}`),
        'chase-1999-figure-3',
        'chase-1999-figure-4',
        'ronciak-2005-figure-4',
        'dillon-2004-ping',
        'dillon-2004-idle',
      ]),
    );
    expect(figureById('geist-2005-figure-15')).toBeUndefined();
  });

  it.each(FIGURES.map((f) => [f.id, f] as const))(
    '%s says what agrees, what is missing and where to look',
    (_, figure) => {
      expect(documentOf(figure).figures).toContain(figure);
      for (const words of [figure.title, figure.verdict, figure.missing]) expect(words.length).toBeGreaterThan(20);
      expect(figure.verdict).toMatch(/\.$/);
      expect(figure.open.length).toBeGreaterThan(0);
    },
  );
});

describe.each(FIGURES.map((f) => [f.id, f] as const))('the models of %s', (_, figure) => {
  const uses = figure.panels.flatMap(usesOf);

  it('get every input, each with an origin and inside its domain', () => {
    for (const { use, varying } of uses) {
      const model = modelOf(catalogue, use.model);
      expect(catalogue.kernelsOf(model.id)).toHaveProperty(use.output);
      const quantities = [...model.inputs, ...model.parameters];
      const names = quantities.map((q) => q.name);
      for (const name of [...Object.keys(use.set), ...varying]) expect(names, `${name} of ${model.id}`).toContain(name);
      for (const q of quantities) {
        expect(q.name in use.set || varying.includes(q.name), `${model.id} is not told ${q.name}`).toBe(true);
        const given = use.set[q.name];
        if (given) expect(contains(q, given.value), `${q.name} = ${given.value}`).toBe(true);
      }
    }
  });

  it('are asked along their axes inside their domains, line by line', () => {
    for (const panel of linesOf(figure))
      for (const source of panel.sources) {
        if (source.from !== 'model') continue;
        const model = modelOf(catalogue, source.model);
        const quantity = (name: string) => {
          const found = [...model.inputs, ...model.parameters].find((q) => q.name === name);
          if (!found) throw new Error(`${model.id} has no ${name}`);
          return found;
        };
        for (const end of panel.x.domain)
          expect(contains(quantity(source.along), end * (source.along_times ?? 1)), `${source.along} at ${end}`).toBe(
            true,
          );
        for (const [line, values] of Object.entries(source.per)) {
          expect(panel.lines.map((l) => l.id)).toContain(line);
          for (const [name, v] of Object.entries(values))
            expect(contains(quantity(name), v), `${name} = ${v}`).toBe(true);
        }
      }
  });

  it('predict finite numbers', () => {
    for (const panel of linesOf(figure))
      for (const series of resolve(panel, catalogue, DATA).series)
        for (const { x, y } of series.spots) expect(Number.isFinite(y), `${series.line.label} at ${x}`).toBe(true);
  });

  it('are listed on the page with their inputs', () => {
    expect(modelsOf(figure, catalogue).length > 0).toBe(uses.length > 0);
  });
});

describe('published marks', () => {
  it.each(FIGURES.flatMap((f) => experimentsOf(f).map((c) => [f.id, c] as const)))(
    '%s names a data set of the kind it says',
    (_, cells) => {
      const path = `datasets/${cells.experiment}/source.toml`;
      expect(existsSync(new URL(`../../../../${path}`, import.meta.url))).toBe(true);
      expect(repository(path)).toContain(`kind = "${cells.kind}"`);
    },
  );

  it('are rows of their data set, all of them', () => {
    const counted: Record<string, number> = {};
    for (const figure of FIGURES)
      for (const panel of linesOf(figure)) {
        const { series } = resolve(panel, catalogue, DATA);
        for (const source of panel.sources) {
          if (source.from !== 'cells' || source.cells.kind !== 'published') continue;
          const schema = [source.x, source.y].flatMap((t: Term) => [t.of, ...(t.over ?? [])]);
          const rows = (DATA[source.cells.experiment] ?? []).map(rowOf);
          for (const term of schema)
            if (term)
              expect(
                rows.some((row) => typeof row[term] === 'number'),
                `${figure.id}: ${term}`,
              ).toBe(true);
        }
        counted[figure.id] =
          (counted[figure.id] ?? 0) +
          series.filter((s) => s.kind === 'published').reduce((n, s) => n + s.spots.length, 0);
      }
    expect(counted).toMatchObject({
      'geist-2005-figure-1': 1,
      'geist-2005-figure-2': 8,
      'geist-2005-figure-3': 4,
      'geist-2005-figure-7': 8,
      'geist-2005-figure-10': 27,
      'geist-2005-figure-13': 27,
      'geist-2005-figure-12': 0,
      'zec-2002-figure-5': 0,
      'chase-1999-figure-3': 8,
      'dillon-2004-ping': 3,
      'dillon-2004-idle': 5,
    });
  });

  it('of statements stand in the list of printed numbers', () => {
    for (const figure of FIGURES)
      for (const panel of linesOf(figure))
        for (const source of panel.sources)
          if (source.from === 'statement') expect(PRINTED, `${figure.id}: ${source.printed}`).toContain(source.printed);
  });
});

describe('table 2', () => {
  const figure = figureById('geist-2005-table-2') as Figure;
  const [panel] = figure.panels;
  if (panel.form !== 'table') throw new Error('table 2 is no table');
  const rows = rowsOf(panel, catalogue, DATA);

  it('is as printed, row by row', () => {
    const [head, ...raw] = RAW_TABLE_2.map((line) => line.split(','));
    const printed = raw.map((row) => Object.fromEntries(head.map((name, i) => [name, Number(row[i])])));
    expect(rows).toHaveLength(27);
    rows.forEach((row, i) => {
      const p = printed[i];
      const whole = row.slice(0, 6).map((v) => Math.round(Number(v)));
      expect(whole).toEqual([
        p.mtu_bytes,
        p.delay_ticks,
        p.normalised_megabytes,
        p.normalised_kilopackets,
        p.normalised_kilointerrupts,
        p.model_jiffies,
      ]);
      expect(Math.abs(Number(row[6]) - p.model_jiffies)).toBeLessThan(1.15);
    });
  });
});

it('the ten streams are those of the message', () => {
  const [panel] = (figureById('dillon-2004-streams') as Figure).panels;
  if (panel.form !== 'bars') throw new Error('no bars');
  const values = barsOf(panel, catalogue, DATA).map((bar) => bar.value);
  expect(values).toHaveLength(10);
  expect([Math.min(...values), Math.max(...values)]).toEqual([67.2, 106]);
});

describe('links', () => {
  const links = [...new Set(FIGURES.flatMap((f) => f.open.map((l) => l.href)))];
  const subjectOf = (path: string): Subject | null => {
    const [, page, slug] = path.split('/');
    if (page === 'models') {
      const model = modelById(slug);
      if (!model) throw new Error(`there is no model ${slug}`);
      return { of: 'model', model };
    }
    return PUBLISHED.includes(slug) ? published(slug) : null;
  };

  it.each(links)('%s is understood', (href) => {
    const [path, query = ''] = href.split('?');
    const subject = subjectOf(path);
    if (!subject) {
      expect(path).toBe('/explorer/virtual-testbed');
      return;
    }
    const { rejected } = fromQuery(query, schemaOf(subject, slicesOf(subject, catalogue)));
    expect(rejected).toEqual([]);
  });

  it('to something unknown would be noticed', () => {
    const subject = published('geist-2005-points');
    expect(fromQuery('measure=nothing', schemaOf(subject, slicesOf(subject, catalogue))).rejected).toHaveLength(1);
  });
});
