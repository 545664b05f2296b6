// SPDX-License-Identifier: Apache-2.0
// A view without the page around it: its title, the drawing, the key, sliders where the address asks for them, and the way to the view itself.
import { type ReactNode, useMemo, useState } from 'react';
import { Route, Switch } from 'wouter';
import { ApiError, reasonOf } from '../../api/errors';
import { base } from '../../api/home';
import { useCells, useExperiment } from '../../api/queries';
import { Icon } from '../../components/Icon';
import { Kind, type KindName } from '../../components/Kind';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { Rich } from '../../components/Rich';
import { useTitle } from '../../components/title';
import { modelById } from '../../engine/catalogue';
import { notesOf } from '../../engine/notes';
import { currentPath } from '../../state/address';
import { slidersAsked, viewPath } from '../../state/embed';
import type { Subject } from '../../state/subject';
import { currentQuery, leftOutOf } from '../../state/url';
import { Explorer } from '../explorer/Explorer';
import { documentOf, figureById } from '../figures/definitions';
import { Missing } from '../figures/FiguresPage';
import { experimentsOf } from '../figures/inputs';
import { Kinds, MarkName } from '../figures/Key';
import { Panels } from '../figures/Panels';
import { useFigureData } from '../figures/useFigureData';
import { Sliders } from './Sliders';
import '../figures/figures.css';
import './embed.css';

/** The address of the view as it stands now, crosshair and sliders included. */
const hrefNow = (): string => base + viewPath(currentPath().slice(base.length));

function Open() {
  const [href, setHref] = useState(hrefNow);
  const follow = () => setHref(hrefNow());
  return (
    <a
      className="open"
      href={href}
      target="_blank"
      rel="noopener"
      onPointerEnter={follow}
      onFocus={follow}
      onClick={(event) => {
        event.currentTarget.href = hrefNow();
      }}
    >
      Open in Coalescope
      <Icon name="link" small />
    </a>
  );
}

function Frame(props: { title: string; kinds?: ReactNode; source: string; children: ReactNode }) {
  useTitle(props.title);
  return (
    <>
      <header>
        <b>{props.title}</b>
        {props.kinds}
      </header>
      {props.children}
      <footer>
        <p>{props.source}</p>
        <Open />
      </footer>
    </>
  );
}

function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title);
  return (
    <div className="nothing">
      <h1>{title}</h1>
      {children && <p>{children}</p>}
      <Open />
    </div>
  );
}

function SlidersAsked() {
  const [asked] = useState(() => slidersAsked(currentQuery()));
  return asked && <Sliders />;
}

const BELOW = { below: <SlidersAsked /> };

function ExperimentEmbed({ slug }: { slug: string }) {
  const [without] = useState(() => leftOutOf(currentQuery()));
  const experiment = useExperiment(slug);
  const cells = useCells(slug, {}, without);
  const known = experiment.data;
  const filled = cells.data?.cells;
  const subject = useMemo<Subject | null>(
    () => (known && filled ? { of: 'experiment', experiment: known, cells: filled, without, planned: [] } : null),
    [known, filled, without],
  );
  const failed = (known ? null : experiment.error) ?? (filled ? null : cells.error);
  if (failed)
    return failed instanceof ApiError && failed.status === 404 ? (
      <Nothing title="No such experiment">
        There is no experiment named <code>{slug}</code> here.
      </Nothing>
    ) : (
      <Nothing title="Couldn’t load the experiment">{reasonOf(failed)}</Nothing>
    );
  if (!known || !subject) return <LoadingLine label="Loading the experiment" />;
  const out = cells.data?.left_out.length ?? 0;
  return (
    <Frame
      title={known.title}
      kinds={<Kind kind={known.kind as KindName} />}
      source={known.source.citation ?? known.subtitle}
    >
      {filled?.length === 0 ? (
        <p>No cell has data yet.</p>
      ) : (
        <Explorer
          subject={subject}
          dataVersion={cells.data?.data_version}
          embed={BELOW}
          above={
            out > 0 && (
              <Notice tone="warn" title={`${out} ${out === 1 ? 'run is' : 'runs are'} left out of this view`}>
                Means, intervals and the fit are of the other runs.
              </Notice>
            )
          }
        />
      )}
    </Frame>
  );
}

function ModelEmbed({ id }: { id: string }) {
  const model = modelById(id);
  const subject = useMemo<Subject | null>(() => (model ? { of: 'model', model } : null), [model]);
  if (!model || !subject)
    return (
      <Nothing title="No such model">
        There is no model named <code>{id}</code>.
      </Nothing>
    );
  return (
    <Frame title={model.title} kinds={<MarkName kind="model" />} source={notesOf(model).citation}>
      <Explorer subject={subject} embed={BELOW} />
    </Frame>
  );
}

function FigureEmbed({ id }: { id: string }) {
  const figure = figureById(id);
  const slugs = useMemo(() => (figure ? experimentsOf(figure).map((c) => c.experiment) : []), [figure]);
  const data = useFigureData(slugs);
  if (!figure)
    return (
      <Nothing title="No such figure">
        There is no figure named <code>{id}</code>.
      </Nothing>
    );
  const document = documentOf(figure);
  return (
    <Frame
      title={`${document.short}, ${figure.label.toLowerCase()}`}
      kinds={<Kinds figure={figure} />}
      source={document.citation}
    >
      <section className="figures">
        {data.loading && <LoadingLine label="Loading the data sets" />}
        <h1>
          <Rich>{figure.title}</Rich>
        </h1>
        <Missing data={data} />
        <Panels figure={figure} data={data.cells} height={360} />
      </section>
    </Frame>
  );
}

export function EmbedPage() {
  return (
    <Switch>
      <Route path="/embed/explorer/:slug">{({ slug }) => <ExperimentEmbed key={slug} slug={slug} />}</Route>
      <Route path="/embed/models/:id">{({ id }) => <ModelEmbed key={id} id={id} />}</Route>
      <Route path="/embed/figures/:id">{({ id }) => <FigureEmbed key={id} id={id} />}</Route>
      <Route>
        <Nothing title="There is no such view">Experiments, models and figures can stand in other pages.</Nothing>
      </Route>
    </Switch>
  );
}
