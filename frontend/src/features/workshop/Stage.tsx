// SPDX-License-Identifier: Apache-2.0
// The model, alive: surface and lines with the crosshair, sliders, the value at the crosshair. Drawn by the explorer's parts, from a catalogue
// that holds this one model.
import { type ReactNode, useEffect, useMemo, useReducer, useRef, useState, useSyncExternalStore } from 'react';
import { Kind } from '../../components/Kind';
import { Rich } from '../../components/Rich';
import { decimal, digitsFor } from '../../plots/number';
import { slicesOf } from '../../state/dataSlice';
import { type AxisSchema, type ExplorerState, stateFor, type ViewSchema } from '../../state/explorer';
import { type Observed, offPlane } from '../../state/observed';
import { createStore } from '../../state/store';
import type { Subject } from '../../state/subject';
import type { OwnModel } from '../../state/userModel';
import { viewOf } from '../../state/view';
import { schemaOf } from '../../state/viewSchema';
import { Chart } from '../explorer/Chart';
import { ExplorerContext, useExplorer, useFrame } from '../explorer/context';
import { DragChooser } from '../explorer/drag/DragChooser';
import { namedSetting, unitAfter } from '../explorer/figure/messages';
import { Parameter } from '../explorer/panel/Parameter';
import { useExplorerContext } from '../explorer/useExplorerContext';
import { useExports } from '../explorer/useExports';
import type { Shown } from './address';

function Readout() {
  const { view } = useExplorer();
  const at = useRef<HTMLSpanElement>(null);
  const value = useRef<HTMLElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useFrame(({ state, place }) => {
    const { x, y } = view.layout;
    const settings = [
      y && state.y !== null ? namedSetting(y, state.y) : '',
      x && state.x !== null ? namedSetting(x, state.x) : '',
    ];
    if (at.current) at.current.textContent = settings.filter(Boolean).join(', ');
    if (value.current)
      value.current.textContent = Number.isFinite(place.value) ? decimal(place.value, digits) : 'no value';
  });
  return (
    <p className="now">
      <b ref={value} />
      <i>
        <Rich>{unitAfter(view.measure).trim()}</Rich>
      </i>
      <span>
        at <span ref={at} />
      </span>
    </p>
  );
}

function Sliders() {
  const { view, toFit } = useExplorer();
  const [edited, setEdited] = useState(false);
  useFrame((live) => setEdited(live.edited));
  if (view.sliders.length === 0) return null;
  return (
    <div className="sliders">
      <header className={edited ? 'row fithead edited' : 'row fithead'}>
        <h3 className="cap">{edited ? 'Edited' : view.sliders.some((s) => s.fitted) ? 'Fit' : 'Parameters'}</h3>
        {edited && (
          <button type="button" className="quiet small" onClick={toFit}>
            Start values
          </button>
        )}
      </header>
      <div className="params">
        {view.sliders.map((slider) => (
          <Parameter key={slider.name} slider={slider} />
        ))}
      </div>
      <DragChooser />
    </div>
  );
}

/** What the marks are: the cells of the fit, and how those are drawn that lie elsewhere than on this plane. */
function Marks({ observed }: { observed: Observed }) {
  const { view } = useExplorer();
  const { kind, fit } = observed;
  if (view.points.length === 0)
    return <p className="note">The {fit.n} cells of the fit have no place on these axes.</p>;
  const off = offPlane(observed, view.layout, view.start);
  return (
    <p className="note">
      <Kind kind={kind} /> The {view.points.length} cells that it was fitted to.{' '}
      {off.length > 0 &&
        `They differ in ${off.join(', ')}, which a slider holds here: a cell stands as far from the surface, in per cent, as it is from its own prediction.`}
    </p>
  );
}

/** What the reader set, kept from run to run and in the address. */
export type Placed = Pick<Shown, 'at' | 'set' | 'pull'>;

interface StageProps {
  readonly own: OwnModel;
  readonly output: string;
  readonly observed: Observed | null;
  /** The text has changed since this was drawn. */
  readonly stale: boolean;
  readonly placed: Placed;
  onPlaced(placed: Placed): void;
  readonly children?: ReactNode;
}

/** Sliders that another text still has, where its ranges allow them. Inputs that are no axis have sliders too. */
function keptOf({ model }: OwnModel, set: Placed['set']): Record<string, number> {
  const parameter = (name: string, value: number): boolean =>
    model.parameters.some((p) => p.name === name && p.lo <= value && value <= p.hi);
  const input = (name: string): boolean => model.inputs.some((i) => i.name === name);
  return Object.fromEntries(Object.entries(set).filter(([name, value]) => parameter(name, value) || input(name)));
}

/** What of it this model still has. */
function startOf(schema: ViewSchema, own: OwnModel, output: string, { at, set, pull }: Placed): ExplorerState {
  const start = stateFor(schema, schema.defaults);
  const slice = schema.slice(schema.defaults);
  const on = (axis: AxisSchema | null, fallback: number | null): number | null => {
    const value = axis ? at[axis.name] : undefined;
    return axis && value !== undefined && value >= axis.lo && value <= axis.hi ? value : fallback;
  };
  const known = own.model.parameters.some((p) => p.name === pull);
  return {
    ...start,
    measure: output,
    x: on(slice.x, start.x),
    y: on(slice.y, start.y),
    overrides: keptOf(own, set),
    pull: known ? pull : null,
  };
}

function placedOf(state: ExplorerState, schema: ViewSchema): Placed {
  const start = stateFor(schema, schema.defaults);
  const { x, y } = schema.slice(schema.defaults);
  const at: Record<string, number> = {};
  if (x && state.x !== null && state.x !== start.x) at[x.name] = state.x;
  if (y && state.y !== null && state.y !== start.y) at[y.name] = state.y;
  return { at, set: state.overrides, pull: state.pull };
}

export function Stage({ own, output, observed, stale, placed, onPlaced, children }: StageProps) {
  const subject = useMemo<Subject>(
    () => ({ of: 'model', model: own.model, ...(observed ? { observed } : {}) }),
    [own, observed],
  );
  const slices = useMemo(() => slicesOf(subject, own.catalogue), [subject, own]);
  const schema = useMemo(() => schemaOf(subject, slices), [subject, slices]);
  const [store] = useState(() => createStore(startOf(schema, own, output, placed)));
  // rulers are made with the view: a value that came to rest beyond its own asks for new ones
  const [rulers, remakeView] = useReducer((n: number) => n + 1, 0);
  useEffect(() => store.update({ measure: output }), [store, output]);
  const measure = useSyncExternalStore(store.subscribe, () => store.get().measure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the state, only the measure makes another view
  const view = useMemo(() => viewOf(subject, slices, store.get(), null, false), [subject, slices, measure, rulers]);

  const tell = () => onPlaced(placedOf(store.get(), schema));
  const { context, picture, onPicture } = useExplorerContext({
    ...{ subject, store, schema, slices, view },
    onChange: tell,
    remakeView,
  });
  useExports(subject, view, store, picture);

  return (
    <ExplorerContext value={context}>
      <div className={stale ? 'stage isstale' : 'stage'}>
        <Chart onPicture={onPicture} />
        {observed && <Marks observed={observed} />}
        {view.binding ? <Readout /> : null}
        {children}
        <Sliders />
      </div>
    </ExplorerContext>
  );
}
