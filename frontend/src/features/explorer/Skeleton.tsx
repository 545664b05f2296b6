// SPDX-License-Identifier: Apache-2.0
// While the cells load: the axes and the places of the cells, which the experiment's factors already tell.
import { useEffect, useMemo, useRef } from 'react';
import type { Cell, Experiment, FactorValue } from '../../api/types';
import { LoadingLine } from '../../components/Loading';
import { Rich } from '../../components/Rich';
import { catalogue } from '../../engine/catalogue';
import { drawingScale } from '../../layers/scale';
import { draw } from '../../layers/svg';
import { slicesOf } from '../../state/dataSlice';
import { fromQuery } from '../../state/link';
import type { Subject } from '../../state/subject';
import { currentQuery } from '../../state/url';
import { type View, viewOf } from '../../state/view';
import { schemaOf } from '../../state/viewSchema';
import { Awaited } from '../recommend/Recommend';
import { frameOf } from './figure/frame';
import { cells, underCells, upwardAxis } from './figure/heat';
import { axes } from './figure/lines';
import './explorer.css';

const MOST = 2000;

/** Every combination of the settings, without a value. */
function designOf(experiment: Experiment): Cell[] {
  let rows: Record<string, FactorValue>[] = [{}];
  for (const { name, levels } of experiment.factors) {
    if (rows.length * levels.length > MOST) return [];
    rows = rows.flatMap((row) => levels.map((level) => ({ ...row, [name]: level })));
  }
  return rows.map((factors, id) => ({ id, factors, runs: 0, partial_runs: 0, measures: {} }));
}

function viewAhead(experiment: Experiment): View | null {
  const design = designOf(experiment);
  if (design.length === 0) return null;
  const subject: Subject = { of: 'experiment', experiment, cells: design };
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery(currentQuery(), schemaOf(subject, slices));
  return slices(state).missing.length > 0 ? viewOf(subject, slices, { ...state, surface: 'model' }, null, true) : null;
}

export function Skeleton({ experiment }: { experiment: Experiment }) {
  const host = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const view = useMemo(() => viewAhead(experiment), [experiment]);
  useEffect(() => {
    const [box, to] = [host.current, svg.current];
    if (!box || !to || !view) return;
    const scale = drawingScale();
    const frame = frameOf(view, view.values, box.clientWidth / scale, box.clientHeight / scale);
    to.setAttribute('width', String(frame.width));
    to.setAttribute('height', String(frame.height));
    // values are not known: their axis stays empty
    const still = axes({ ...view, mode: 'blank' }, { ...frame, valueTicks: [] });
    draw(to, [
      ...underCells({ ...view, mode: 'blank' }, frame),
      ...cells(view, frame),
      ...still,
      ...upwardAxis(view, frame),
    ]);
  }, [view]);
  return (
    <section className="explorer" aria-busy="true">
      <aside className="rail" aria-label="Data">
        <div className="block first">
          <p className="cap">Experiment</p>
          <h1 className="pick">{experiment.title}</h1>
        </div>
      </aside>
      <Awaited />
      <div className="centre">
        <header className="head">
          <div>
            <h2>
              <Rich>{view?.measure.label ?? experiment.title}</Rich>
            </h2>
            <p>Loading cells…</p>
          </div>
        </header>
        <div className="key" />
        <div ref={host} className={view?.layout.shape === 'plane' ? 'duet' : 'duet single'}>
          <LoadingLine label="Loading the cells" />
          <svg ref={svg} className="plot" aria-hidden="true" />
        </div>
      </div>
      <aside className="model" aria-label="Model" />
    </section>
  );
}
