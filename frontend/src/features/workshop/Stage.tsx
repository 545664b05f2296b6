// SPDX-License-Identifier: Apache-2.0
// The model, alive: surface and lines with the crosshair, sliders, the value at the crosshair. Drawn by the explorer's parts, from a catalogue
// that holds this one model.
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Fit } from '../../api/types';
import { Rich } from '../../components/Rich';
import { useTheme } from '../../components/theme';
import { frames as frameLoop } from '../../engine/frames';
import { decimal, digitsFor } from '../../plots/number';
import { type ExplorerState, stateFor } from '../../state/explorer';
import { slidersOf } from '../../state/fit';
import { createHistory } from '../../state/history';
import { createStore } from '../../state/store';
import type { OwnModel } from '../../state/userModel';
import { type Subject, slicesOf, termsOf, type View, viewOf } from '../../state/view';
import { Chart } from '../explorer/Chart';
import { type Explorer, ExplorerContext, type OnFrame, useExplorer, useFrame } from '../explorer/context';
import { namedSetting, unitAfter } from '../explorer/figure/words';
import { Parameter } from '../explorer/Panel';
import type { Picture } from '../explorer/picture';
import { useExports } from '../explorer/useExports';

/** With the intervals of a fit on the sliders. */
function fitted(view: View, fit: Fit | null, state: ExplorerState): View {
  if (!fit || !view.binding) return view;
  const sliders = slidersOf(view.binding.terms, fit, state.byHand);
  return { ...view, sliders, start: Object.fromEntries(sliders.map((s) => [s.name, s.start])) };
}

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
        <h3 className="cap">{edited ? 'By hand' : view.sliders.some((s) => s.fitted) ? 'Fit' : 'Parameters'}</h3>
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
    </div>
  );
}

export interface StageProps {
  readonly own: OwnModel;
  readonly output: string;
  readonly fit: Fit | null;
  /** The text has changed since this was drawn. */
  readonly stale: boolean;
  /** Where the sliders stand: what was moved, kept from run to run. */
  readonly byHand: Readonly<Record<string, number>>;
  onByHand(byHand: Readonly<Record<string, number>>): void;
  readonly children?: ReactNode;
}

/** Sliders that another text still has, where its ranges allow them. */
function keptOf(own: OwnModel, byHand: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(byHand).filter(([name, value]) =>
      own.model.parameters.some((p) => p.name === name && p.lo <= value && value <= p.hi),
    ),
  );
}

export function Stage({ own, output, fit, stale, byHand, onByHand, children }: StageProps) {
  const subject = useMemo<Subject>(() => ({ of: 'model', model: own.model }), [own]);
  const slices = useMemo(() => slicesOf(subject, own.catalogue), [subject, own]);
  const terms = useMemo(() => termsOf(subject, slices), [subject, slices]);
  const [store] = useState(() =>
    createStore({ ...stateFor(terms, terms.defaults), measure: output, byHand: keptOf(own, byHand) }),
  );
  // rulers are made with the view: a value that came to rest beyond its own asks for new ones
  const [rulers, setRulers] = useState(0);
  useEffect(() => store.update({ measure: output }), [store, output]);
  const measure = useSyncExternalStore(store.subscribe, () => store.get().measure);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the state, only the measure makes another view
  const view = useMemo(
    () => fitted(viewOf(subject, slices, store.get(), null, false), fit, store.get()),
    [subject, slices, measure, fit, rulers],
  );

  const picture = useRef<Picture | null>(null);
  const listeners = useRef(new Set<OnFrame>());
  const shown = useRef({ view, slices });
  shown.current = { view, slices };
  const loop = useRef<ReturnType<typeof frameLoop> | null>(null);
  const redraw = useCallback(() => loop.current?.ask(), []);
  const onPicture = useCallback((next: Picture | null) => {
    picture.current = next;
    loop.current?.ask();
  }, []);
  const tell = useRef(onByHand);
  tell.current = onByHand;
  useEffect(() => {
    loop.current = frameLoop(() => {
      const now = shown.current;
      const live = picture.current?.render(now.view, store.get(), now.slices);
      if (live) for (const call of listeners.current) call(live);
    }, false);
    let last = store.get().byHand;
    const stop = store.subscribe(() => {
      loop.current?.ask();
      if (store.get().byHand !== last) {
        last = store.get().byHand;
        tell.current(last);
      }
    });
    loop.current.ask();
    return () => {
      stop();
      loop.current?.stop();
      loop.current = null;
    };
  }, [store]);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view or theme is a new drawing
  useEffect(redraw, [view, theme, redraw]);

  const [history] = useState(() => createHistory(store, () => performance.now()));
  const context = useMemo<Explorer>(
    () => ({
      subject,
      store,
      terms,
      slices,
      view,
      frames: listeners.current,
      redraw,
      history,
      settleRulers() {
        const { byHand } = store.get();
        if (view.sliders.some((s) => byHand[s.name] < s.lo || byHand[s.name] > s.hi)) setRulers((n) => n + 1);
      },
      toFit: () => store.update({ byHand: {} }),
    }),
    [subject, store, terms, slices, view, redraw, history],
  );
  useExports(subject, view, store, picture);

  return (
    <ExplorerContext value={context}>
      <div className={stale ? 'stage isstale' : 'stage'}>
        <Chart onPicture={onPicture} />
        {view.binding ? <Readout /> : null}
        {children}
        <Sliders />
      </div>
    </ExplorerContext>
  );
}
