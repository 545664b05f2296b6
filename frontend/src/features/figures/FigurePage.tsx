// SPDX-License-Identifier: Apache-2.0
// One figure: drawn, judged, with everything that went into it.

import { useMemo } from 'react';
import { Link } from 'wouter';
import { LoadingLine } from '../../components/Loading';
import { Named, QuantityName } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { Unknown } from '../../components/Unknown';
import { catalogue } from '../../engine/catalogue';
import { alike } from '../../plots/number';
import { useFigureExport } from '../share/figureExport';
import { pngOf } from '../share/png';
import { fileName, save } from '../share/save';
import type { Document, Figure } from './definition';
import { documentOf, FIGURES, figureById } from './definitions';
import type { CellsBySlug } from './evaluate';
import { drawable, svgOf } from './export';
import { Missing } from './FiguresPage';
import { findings } from './findings';
import { experimentsOf, modelsOf } from './inputs';
import { Kinds, kindsOf, MarkName } from './Key';
import { csvText, sheetsOf } from './numbers';
import { Panels, titled } from './Panels';
import { useFigureData } from './useFigureData';
import './figures.css';

const ORIGINS = {
  printed: 'printed in the paper',
  fitted: 'fitted',
  tuned: 'tuned',
  assumed: 'assumed',
} as const;

/** A number and its sign are not parted at the end of a line. */
const PER_CENT = '$1\u00a0%';

function Findings({ figure, data }: { figure: Figure; data: CellsBySlug }) {
  const list = useMemo(() => findings(figure, catalogue, data), [figure, data]);
  if (list.length === 0) return null;
  return (
    <dl className="findings">
      {list.map(({ what, published, found }) => (
        <div key={what}>
          <dt>
            <Rich>{what}</Rich>
          </dt>
          <dd>
            {published !== null && (
              <span>
                <MarkName kind="published" /> {published}
              </span>
            )}
            <span>
              <Rich>{found}</Rich>
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Inputs({ figure }: { figure: Figure }) {
  const used = useMemo(() => modelsOf(figure, catalogue), [figure]);
  if (used.length === 0) return <p>No model: every number is published.</p>;
  return used.map(({ model, second, inputs }, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the models of a definition stand where they stand
    <div key={i} className="wide">
      <table className="inputs">
        <caption>
          <Link href={`/models/${model.id}/about`}>{model.title}</Link>
          {second !== null && `, ${second} (dashed)`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Input</th>
            <th scope="col" className="n">
              Value
            </th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {inputs.map(({ name, label, unit, value, origin, why }) => (
            <tr key={name}>
              <th scope="row">
                <QuantityName name={name}>{label}</QuantityName>
              </th>
              <td className="n">
                {value} {unit}
              </td>
              <td className={origin}>
                {why === 'line by line' ? 'line by line' : `${ORIGINS[origin]}${why ? `: ${why}` : ''}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  ));
}

/** Each column with as many decimals all the way down. */
function fieldsOf(head: readonly string[], rows: readonly (readonly (number | string)[])[]) {
  const words = head.map((_, c) =>
    alike(
      rows.map((row) => (typeof row[c] === 'number' ? row[c] : null)),
      5,
    ),
  );
  return (value: number | string, c: number): string => (typeof value === 'string' ? value : words[c](value));
}

function Numbers({ figure, data }: { figure: Figure; data: CellsBySlug }) {
  const charts = sheetsOf(figure, catalogue, data)
    .map((sheet, i) => ({ ...sheet, panel: figure.panels[i], field: fieldsOf(sheet.head, sheet.rows) }))
    .filter(({ panel }) => panel.form !== 'table');
  if (charts.length === 0) return null;
  return (
    <details className="numbers">
      <summary>The numbers in the {charts.length === 1 ? 'chart' : 'charts'}</summary>
      {charts.map(({ title, head, of, rows, panel, field }, k) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the panels of a definition stand where they stand
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls sideways, also by keyboard
        <div key={k} className="wide" tabIndex={0} role="group" aria-label={title || figure.title}>
          <table className="printed">
            <caption>
              <Named name={titled(panel)}>{title || figure.title}</Named>
            </caption>
            <thead>
              <tr>
                {head.map((name, c) => (
                  <th key={name} scope="col" className={c > 1 ? 'n' : ''}>
                    <Named name={of[c]}>
                      <Rich>{name}</Rich>
                    </Named>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows of numbers have no other name
                <tr key={i}>
                  {row.map((value, c) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns stand where they stand
                    <td key={c} className={typeof value === 'number' ? 'n' : ''}>
                      {field(value, c)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </details>
  );
}

function useFiles(figure: Figure, document: Document, data: CellsBySlug) {
  const title = `${document.short} ${figure.label}`;
  const svg = () => svgOf(figure, document, kindsOf(figure), data);
  const csv = () => csvText(figure, document.short, sheetsOf(figure, catalogue, data));
  const chart = drawable(figure).length > 0;
  useFigureExport({ title, csv, ...(chart ? { svg } : {}) });
  return {
    ...(chart
      ? {
          SVG: async () => save(new Blob([await svg()], { type: 'image/svg+xml' }), fileName(title, 'svg')),
          PNG: async () => save(await pngOf(await svg()), fileName(title, 'png')),
        }
      : {}),
    CSV: async () => save(new Blob([csv()], { type: 'text/csv' }), fileName(title, 'csv')),
  };
}

function Neighbours({ figure }: { figure: Figure }) {
  const at = FIGURES.indexOf(figure);
  const [before, after] = [FIGURES[at - 1], FIGURES[at + 1]];
  const words = (f: Figure): string => `${documentOf(f).short}, ${f.label.toLowerCase()}`;
  return (
    <nav className="neighbours" aria-label="Other figures">
      {before ? (
        <Link href={`/figures/${before.id}`}>
          <span aria-hidden="true">← </span>
          {words(before)}
        </Link>
      ) : (
        <span />
      )}
      <Link href="/figures">All figures</Link>
      {after ? (
        <Link href={`/figures/${after.id}`}>
          {words(after)}
          <span aria-hidden="true"> →</span>
        </Link>
      ) : (
        <span />
      )}
    </nav>
  );
}

function Shown({ figure }: { figure: Figure }) {
  const document = documentOf(figure);
  const source = `${document.short}, ${figure.label.toLowerCase()}`;
  useTitle(source);
  const slugs = useMemo(() => experimentsOf(figure).map((c) => c.experiment), [figure]);
  const data = useFigureData(slugs);
  const files = useFiles(figure, document, data.cells);
  return (
    <div className="page figures one">
      {data.loading && <LoadingLine label="Loading the data sets" />}
      <header className="lede">
        <h1>
          <Rich>{figure.title}</Rich>
        </h1>
        <p>{source}</p>
      </header>
      <Missing data={data} />
      <div className="above">
        <p className="kinds">
          <Kinds figure={figure} />
        </p>
        <div className="files">
          {Object.entries(files).map(([name, hand]) => (
            <button key={name} type="button" className="quiet small" aria-label={`Save as ${name}`} onClick={hand}>
              {name}
            </button>
          ))}
        </div>
      </div>
      <Panels figure={figure} data={data.cells} height={440} />
      <Section title="What agrees, and what does not">
        <p className="verdict">{figure.verdict.replace(/(\d) %/g, PER_CENT)}</p>
        <Findings figure={figure} data={data.cells} />
      </Section>
      <div className="aside">
        <Section title="What is not drawn">
          <p>
            <Rich>{figure.missing}</Rich>
          </p>
        </Section>
        <Section title="Open">
          <ul className="open">
            {figure.open.map(({ label, href }) => (
              <li key={href}>
                <Link href={href}>{label}</Link>
              </li>
            ))}
          </ul>
          <p className="note">{document.citation}</p>
        </Section>
      </div>
      <Section title="What went in">
        <Inputs figure={figure} />
        <Numbers figure={figure} data={data.cells} />
      </Section>
      <Neighbours figure={figure} />
    </div>
  );
}

export function FigurePage({ id }: { id: string }) {
  const figure = figureById(id);
  if (figure) return <Shown figure={figure} />;
  return <Unknown what="figure" name={id} all="/figures" />;
}
