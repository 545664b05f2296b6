// SPDX-License-Identifier: Apache-2.0
// Every figure as a small multiple, by document.

import { useMemo } from 'react';
import { Link } from 'wouter';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import type { Figure } from './definition';
import { DOCUMENTS, FIGURES } from './definitions';
import type { CellsBySlug } from './evaluate';
import { experimentsOf } from './inputs';
import { Kinds } from './Key';
import { PanelView } from './PanelView';
import { type FigureData, useFigureData } from './useFigureData';
import './figures.css';

export function Missing({ data }: { data: FigureData }) {
  const { failed, waiting, again } = data;
  return (
    <>
      {waiting.length > 0 && (
        <Notice tone="warn" title="Not all data is here yet">
          The server is still reading {waiting.join(', ')}. Its marks appear when it is done; the rest is drawn.
        </Notice>
      )}
      {failed.length > 0 && (
        <Notice
          tone="bad"
          title={`${failed.length === 1 ? 'A data set' : 'Data sets'} could not be read`}
          {...(again ? { action: { label: 'Try again', onClick: again } } : {})}
        >
          {failed.map(({ slug, reason }) => `${slug}: ${reason}`).join(' ')} What models predict is drawn all the same.
        </Notice>
      )}
    </>
  );
}

function Tile({ figure, data }: { figure: Figure; data: CellsBySlug }) {
  return (
    <li>
      <Link href={`/figures/${figure.id}`} className="figtile">
        <span className="no">{figure.label}</span>
        <b>{figure.title}</b>
        <PanelView panel={figure.panels[0]} data={data} label={`${figure.label}: ${figure.title}`} height={180} small />
      </Link>
      <p className="kinds">
        <Kinds figure={figure} />
      </p>
    </li>
  );
}

export function FiguresPage() {
  useTitle('Figures');
  const slugs = useMemo(() => [...new Set(FIGURES.flatMap((f) => experimentsOf(f).map((c) => c.experiment)))], []);
  const data = useFigureData(slugs);
  return (
    <div className="page figures">
      {data.loading && <LoadingLine label="Loading the data sets" />}
      <header className="lede">
        <h1>Figures</h1>
        <p>
          The tables and charts of five documents, redrawn from the numbers they print, from the same experiment in
          emulation, and from models. Points that were plotted but never printed are left out, and each figure says so.
        </p>
      </header>
      <Missing data={data} />
      {DOCUMENTS.map((document) => (
        <Section key={document.id} id={document.id} title={document.short}>
          <p className="about">{document.about}</p>
          <ul className="figtiles">
            {document.figures.map((figure) => (
              <Tile key={figure.id} figure={figure} data={data.cells} />
            ))}
          </ul>
          {document.absent.map((words) => (
            <p key={words} className="note absent">
              {words}
            </p>
          ))}
        </Section>
      ))}
    </div>
  );
}
