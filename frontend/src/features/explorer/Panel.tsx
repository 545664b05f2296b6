// SPDX-License-Identifier: Apache-2.0
// Why: the model with its equation, its numbers at the crosshair, its sliders, and how it stands against the cells.

import { memo, type ReactNode, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { tryAgain } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import type { Fit } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Beside } from '../../components/Later';
import { Mathematics } from '../../components/Mathematics';
import { Menu, MenuItem } from '../../components/Menu';
import { Notice } from '../../components/Notice';
import { QuantityName } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { Segmented } from '../../components/Segmented';
import { catalogue } from '../../engine/catalogue';
import { draw } from '../../layers/svg';
import { write } from '../../layers/words';
import { brief, decimal, digitsFor, plusMinus, setting, worded } from '../../plots/number';
import { dependsOn, predictAt } from '../../state/binding';
import type { Method } from '../../state/explorer';
import { type Slider, settingAt, strideOf, trackOf } from '../../state/fit';
import type { Point } from '../../state/layout';
import { modelsFor, NO_MODEL } from '../../state/view';
import { useAfterFrame, useExplorer, useFrame, useSized, useTurn } from './context';
import { Equation } from './Equation';
import type { Live } from './figure/live';
import { comparisonOf, RESIDUALS_HEIGHT, residual, residualShapes, signed, worstOf } from './figure/residuals';
import { RULER_HEIGHT, rulerShapes } from './figure/ruler';
import { SPLIT_HEIGHT, splitShapes } from './figure/split';
import {
  kindWord,
  namedSetting,
  redundant,
  settingText,
  shortName,
  shortUnit,
  unitAfter,
  whyNothingBetween,
} from './figure/words';
import { PythonStatus } from './PythonStatus';
import { Pins } from './pins/Pins';
import { PullChooser } from './pull/PullChooser';
import { SplitAlong } from './SplitAlong';
import { TypedValue } from './TypedValue';
import { usePlot } from './usePlot';

function ModelMenu({ current }: { current: string }) {
  const { view, store, subject } = useExplorer();
  if (subject.of === 'model') return null;
  const models = modelsFor(view.slice, view.measure.name);
  const unbound = view.slice.unbound(view.measure.name);
  if (models.length < 2) return null;
  const title = (id: string) =>
    id === NO_MODEL ? 'No model' : (view.models.find((b) => b.model.id === id)?.model.title ?? id);
  return (
    <Menu
      label="Change the model"
      className="quiet small"
      trigger={
        <>
          Change
          <Icon name="down" small />
        </>
      }
    >
      {models.map(({ id }, i) => (
        <MenuItem
          key={id}
          checked={id === current}
          note={
            id === NO_MODEL
              ? 'interpolated between the cells'
              : view.models.find((b) => b.model.id === id)?.model.summary
          }
          onSelect={() => store.update({ model: i === 0 ? null : id, byHand: {}, pins: [], surface: 'model' })}
        >
          {title(id)}
        </MenuItem>
      ))}
      {unbound.map(({ model, reason }) => (
        <MenuItem key={model.id} unavailable={reason} onSelect={() => {}}>
          {model.title}
        </MenuItem>
      ))}
    </Menu>
  );
}

/** "1118 = 813 + 432.0 × (0.266 + 1.110 / 2.52)", or the inputs of another model. */
function LiveNumbers() {
  const { view } = useExplorer();
  const host = useRef<HTMLParagraphElement>(null);
  const { binding } = view;
  const cost = binding !== null && binding.parts.length > 0;
  const digits = digitsFor(view.values[1] - view.values[0]);
  useTurn((live) => {
    const p = host.current;
    const { prediction } = live.place;
    p?.classList.toggle('empty', prediction === null);
    if (!p || !binding || !prediction) return false;
    const slots = p.querySelectorAll<HTMLElement>('[data-n]');
    const put = (texts: readonly string[]) => {
      slots.forEach((slot, i) => {
        write(slot, texts[i] ?? '');
      });
    };
    const { inputs, parts, total } = prediction;
    if (!cost) {
      put([worded(total, digits, view.measure.meanings)]);
      return true;
    }
    const [byte, packet] = parts;
    const { beta, gamma } = live.theta;
    const kilopackets = beta !== 0 ? packet / beta : 1e6 / ((inputs.packet_fill ?? 1) * inputs.mtu_bytes);
    const ppi = parts[2] !== 0 ? (kilopackets * gamma) / parts[2] : (inputs.packets_per_interrupt ?? Number.NaN);
    put([
      decimal(total, digits),
      decimal(byte, digits),
      decimal(kilopackets, 1),
      decimal(beta, 3),
      decimal(gamma, 3),
      decimal(ppi, 2),
    ]);
    return true;
  });
  if (!binding) return null;
  if (!cost)
    return (
      <p className="live plainly" ref={host}>
        <b data-n="total" />
        <Rich>{unitAfter(view.measure)}</Rich>
        <Inputs />
      </p>
    );
  return (
    <p className="live" ref={host}>
      <b data-n="total" /> = <i className="t byte" data-n="byte" /> + <span data-n="kp" /> × (
      <i className="t packet" data-n="beta" /> +{' '}
      <i className="t interrupt">
        <span data-n="gamma" /> / <span data-n="ppi" />
      </i>
      )
    </p>
  );
}

/** What goes into a model at the crosshair. */
function Inputs() {
  const { view } = useExplorer();
  const host = useRef<HTMLSpanElement>(null);
  useTurn((live) => {
    const span = host.current;
    const { prediction } = live.place;
    if (!span || !prediction || !view.binding) return false;
    const moving = view.binding.model.inputs.filter((_, k) => view.binding?.sources[k].from !== 'scalar');
    const words = moving.map(
      (q) =>
        `${q.name === 'mtu_bytes' ? 'MTU' : q.label.toLowerCase()} ${q.meanings[prediction.inputs[q.name]] ?? setting(prediction.inputs[q.name])}${redundant(q) || q.name === 'mtu_bytes' ? '' : ` ${q.unit}`}`,
    );
    return write(span, words.length > 0 ? ` at ${words.join(', ')}` : '');
  });
  return <span ref={host} className="note" />;
}

/** Axes that the model knows nothing of: along them it says the same everywhere. */
function Ignored() {
  const { view } = useExplorer();
  const { binding, layout } = view;
  const ignored = (['x', 'y'] as const).flatMap((at) => {
    const axis = layout[at];
    if (!binding || !axis || axis.levels.length < 2 || dependsOn(binding, at)) return [];
    return [inSentence(shortName(axis))];
  });
  if (ignored.length === 0) return null;
  return <p className="why">This model takes no account of the {ignored.join(' and the ')}.</p>;
}

/** The paper takes every packet as full; the cells counted shorter ones. */
function FramesSwitch() {
  const { view, store } = useExplorer();
  const note = useRef<HTMLSpanElement>(null);
  const { frames } = store.get();
  const { binding } = view;
  const full = useMemo(() => (frames === 'full' ? comparisonOf(view, 'full') : null), [frames, view]);
  useTurn((live) => {
    const host = note.current;
    if (!host) return false;
    const fill = live.place.prediction?.inputs.packet_fill;
    let words = fill === undefined ? '' : `= ${decimal(fill, 2)}: frames as counted`;
    if (full) {
      const predictions = full.predictions(live.theta);
      const low = view.points.map((p, i) => residual(p, predictions[i])).filter(Number.isFinite);
      words = `= 1: reads ${decimal(Math.min(...low), 0)} to ${decimal(Math.max(...low), 0)} % low here`;
    }
    return write(host, words);
  });
  if (!binding?.takesFrames) return null;
  return (
    <div className="row frames">
      <span className="note">
        <var>φ</var> <span ref={note} />
      </span>
      <Segmented
        tiny
        label="Frames"
        value={frames}
        segments={[
          { value: 'counted', label: 'counted' },
          { value: 'full', label: 'full' },
        ]}
        onChange={(next) => store.update({ frames: next })}
      />
    </div>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  alpha: 'per 10⁶ bytes',
  beta: 'per 1000 packets',
  gamma: 'per 1000 interrupts',
};

function unitNote(slider: Slider): string {
  return slider.tone ? slider.unit.split('/')[0] : slider.unit;
}

export function Parameter({ slider }: { slider: Slider }) {
  const { store, settleRulers, hold } = useExplorer();
  const row = useRef<HTMLDivElement>(null);
  const ruler = useSized<SVGSVGElement>();
  const input = useRef<HTMLInputElement>(null);
  const output = useRef<HTMLOutputElement>(null);
  const shown = useRef<{ slider: Slider | null; value: number; width: number }>({
    slider: null,
    value: Number.NaN,
    width: 0,
  });
  const { name, start, digits } = slider;
  const id = `parameter-${name}`;

  useFrame(({ theta }) => {
    const [svg, range] = [ruler.element.current, input.current];
    const value = theta[name];
    if (!svg || !range || value === undefined) return;
    const at = trackOf(slider, value);
    if (document.activeElement !== range || Math.abs(range.valueAsNumber - at) > strideOf(slider))
      range.value = String(at);
    const width = ruler.width.current;
    // the other sliders stand still while one moves
    if (shown.current.slider === slider && shown.current.value === value && shown.current.width === width) return;
    shown.current = { slider, value, width };
    draw(svg, rulerShapes(slider, value, width));
  });
  // words are laid out, which takes a while
  useAfterFrame(({ theta }) => {
    const value = theta[name];
    if (value === undefined) return;
    row.current?.classList.toggle('edited', value !== start);
    write(output.current, worded(value, digits, slider.meanings));
  });
  // what a screen reader says, in the place of the number of steps
  useTurn(({ theta }) => {
    const range = input.current;
    const value = theta[name];
    if (!range || value === undefined) return false;
    const words = `${worded(value, digits, slider.meanings)} ${slider.unit}`;
    if (range.getAttribute('aria-valuetext') === words) return false;
    range.setAttribute('aria-valuetext', words);
    return true;
  });

  const set = (value: number) => {
    const { [name]: _, ...rest } = store.get().byHand;
    store.update({ byHand: value === start ? rest : { ...rest, [name]: value } });
  };
  const fitWords = slider.interval
    ? `fit ${decimal(start, 3)}, 95 % ${decimal(slider.interval[0], 3)} to ${decimal(slider.interval[1], 3)}`
    : `starts at ${decimal(start, digits)}`;
  return (
    <div className="param" ref={row}>
      <span className="name" id={`${id}-name`}>
        {slider.tone && <i className={`sw ${slider.tone}`} />}
        <Mathematics className="sym" html={slider.symbolMath} />
        <QuantityName name={name}>
          <Rich>{NAMES[name] ?? slider.label}</Rich>
        </QuantityName>
      </span>
      <span className="value">
        <TypedValue
          slider={slider}
          id={id}
          output={output}
          value={() => shown.current.value}
          onValue={(value) => {
            set(value);
            settleRulers();
          }}
        />{' '}
        <small>{unitNote(slider)}</small>
      </span>
      <div className="track">
        <svg ref={ruler.attach} className="ruler" height={RULER_HEIGHT} aria-hidden="true" />
        <input
          ref={input}
          id={id}
          type="range"
          min={trackOf(slider, slider.lo)}
          max={trackOf(slider, slider.hi)}
          step={strideOf(slider)}
          defaultValue={trackOf(slider, start)}
          aria-labelledby={`${id}-name`}
          aria-describedby={`${id}-fit`}
          // of another button's press a menu takes the release
          onPointerDown={(event) => event.button === 0 && hold()}
          onInput={(event) => set(settingAt(slider, event.currentTarget.valueAsNumber))}
          onDoubleClick={() => set(start)}
        />
      </div>
      <span className="sr" id={`${id}-fit`}>
        {fitWords}
      </span>
    </div>
  );
}

export interface FitState {
  readonly fit: Fit | null;
  readonly pending: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  /** The cells are newer than the fit. */
  readonly stale: boolean;
  refit(): void;
}

function FitHeader({ state }: { state: FitState | null }) {
  const { store, toFit } = useExplorer();
  const [edited, setEdited] = useState(false);
  const { method } = store.get();
  // off the fit and back on it: twice in a drag at most
  useFrame((live) => setEdited(live.edited));
  return (
    <header className={edited ? 'row fithead edited' : 'row fithead'}>
      <h3 className="cap">{edited ? 'By hand' : state ? 'Fit' : 'Parameters'}</h3>
      <span className="row tight">
        {edited && !state && (
          <button type="button" className="quiet small" onClick={toFit}>
            Start values
          </button>
        )}
        {state && (
          <Segmented
            tiny
            label="Fit method"
            value={method}
            segments={[
              { value: 'paper-tls', label: 'Paper TLS' },
              { value: 'whitened', label: 'Whitened' },
              { value: 'ols', label: 'OLS' },
            ]}
            onChange={(next: Method) => store.update({ method: next, byHand: {} })}
          />
        )}
        {state && (
          <button
            type="button"
            className="quiet small boxed"
            disabled={state.busy}
            onClick={() => {
              toFit();
              state.refit();
            }}
          >
            {state.stale ? 'Fit again' : 'Fit'}
          </button>
        )}
      </span>
    </header>
  );
}

function FitNote({ fit }: { fit: Fit }) {
  const { bootstrap, diagnostics } = fit;
  const about = [
    `${fit.n} cells${fit.left_out > 0 ? `, ${fit.left_out} runs left out` : ''}`,
    diagnostics.condition_number === null ? null : `condition ${brief(diagnostics.condition_number, 3)}`,
  ].filter(Boolean);
  return (
    <p className="note legend">
      <svg width="26" height="10" aria-hidden="true">
        <path d="M1 5h24M1 2v6M25 2v6" stroke="currentColor" strokeWidth="1.5" fill="none" />
        <rect x="10.5" y="2.5" width="5" height="5" fill="var(--ground)" stroke="currentColor" strokeWidth="1.5" />
      </svg>
      fit, 95 % interval<span>{about.join(', ')}</span>
      {bootstrap && (
        <small>
          from {decimal(bootstrap.resamples, 0)} resamples of the {bootstrap.unit}, seed {bootstrap.seed}
        </small>
      )}
    </p>
  );
}

function FitBlock({ state }: { state: FitState | null }) {
  const { view, subject } = useExplorer();
  if (view.sliders.length === 0) return null;
  const { fit } = view;
  return (
    <div className={state?.stale ? 'block stale' : 'block'}>
      <FitHeader state={state} />
      {state?.busy && (
        <div className="progress" role="status">
          <span className="sr">Fitting</span>
        </div>
      )}
      {state?.error != null && (
        <Notice tone="bad" title="The fit did not arrive" {...tryAgain(state.error, state.refit)}>
          {reasonOf(state.error)} The sliders {fit ? 'keep the fit from before' : 'stand at the paper’s values'}.
        </Notice>
      )}
      {fit && !fit.identifiable && (
        <Notice tone="warn" title="These cells do not tell the costs apart">
          {fit.message} The sliders stand at the paper’s values.
        </Notice>
      )}
      {state?.stale && (
        <Notice tone="warn" title="The fit is older than its data">
          Cells are current, the surface is not.
        </Notice>
      )}
      <div className="params">
        {view.sliders.map((slider) => (
          <Parameter key={slider.name} slider={slider} />
        ))}
      </div>
      <PullChooser />
      {subject.of === 'experiment' && subject.opened && (
        <p className="note">Fits are made by the server: to fit these parameters to the cells, upload the table.</p>
      )}
      {fit?.identifiable && <FitNote fit={fit} />}
    </div>
  );
}

function inksOf(live: Live): Map<number, string> {
  return new Map(live.curves.flatMap((c) => (c.series ? [[c.series.y, c.series.ink] as const] : [])));
}

function settingOf(view: ReturnType<typeof useExplorer>['view'], p: { x: number; y: number }): string {
  const { x, y } = view.layout;
  return [y && y.levels.length > 1 ? settingText(y, p.y) : '', x && x.levels.length > 1 ? settingText(x, p.x, 4) : '']
    .filter(Boolean)
    .join(' / ');
}

function Residuals() {
  const { view, store } = useExplorer();
  const { frames } = store.get();
  const plot = usePlot();
  const worst = useRef<HTMLSpanElement>(null);
  const comparison = useMemo(() => comparisonOf(view, frames), [view, frames]);
  useTurn((live, held) => {
    if (!plot.element.current || !comparison) return false;
    const predictions = comparison.predictions(live.theta);
    if (!plot.hidden.current)
      plot.show(residualShapes(view, comparison, predictions, live.place, plot.width.current, inksOf(live)), held);
    const most = worstOf(comparison.points, predictions);
    const words = most ? `largest ${signed(most.percent, 2)} % at ${settingOf(view, most.point)}` : '';
    write(worst.current, words);
    return true;
  });
  if (!comparison) return null;
  return (
    <div className="block residuals">
      <header className="row">
        <h3 className="cap">
          Residuals <small>cell − model</small>
        </h3>
        <span className="note" ref={worst} />
      </header>
      {plot.of({
        className: 'plot wide',
        height: RESIDUALS_HEIGHT,
        role: 'img',
        'aria-label': `Cell minus model, in per cent, for ${comparison.points.length} cells`,
      })}
      {comparison.points.length <= 16 && <SideBySide comparison={comparison} />}
    </div>
  );
}

/** A few cells: their numbers beside the model's. */
function SideBySide({ comparison }: { comparison: NonNullable<ReturnType<typeof comparisonOf>> }) {
  const { view, subject } = useExplorer();
  const body = useRef<HTMLTableSectionElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useTurn((live) => {
    const predictions = comparison.predictions(live.theta);
    comparison.points.forEach((p, i) => {
      const row = body.current?.rows[i];
      if (!row) return;
      const [model, difference] = [row.cells[2], row.cells[3]];
      const words = decimal(predictions[i], digits);
      if (model.textContent !== words) {
        write(model, words);
        write(difference, `${signed(residual(p, predictions[i]), comparison.calm < 1 ? 2 : 1)} %`);
      }
      row.classList.toggle('here', p.x === live.place.x && p.y === live.place.y);
    });
    return true;
  });
  return (
    <table className="beside">
      <thead>
        <tr>
          <th scope="col">
            <SettingNames />
          </th>
          <th scope="col">{kindWord(subject)}</th>
          <th scope="col">model</th>
          <th scope="col">cell − model</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {comparison.points.map((p) => (
          <tr key={p.cell.id}>
            <SettingHead point={p} />
            <td>{decimal(p.mean, digits)}</td>
            <td />
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A cell's setting at the head of its row: pressing it brings the crosshair there. */
function SettingHead({ point }: { point: Point }) {
  const { view, store } = useExplorer();
  const { x, y } = view.layout;
  return (
    <th scope="row">
      <button type="button" onClick={() => store.update({ x: x ? point.x : null, y: y ? point.y : null })}>
        {settingOf(view, point) || 'cell'}
      </button>
    </th>
  );
}

/** Without a model the panel lists what was measured. */
function CellList() {
  const { view } = useExplorer();
  const body = useRef<HTMLTableSectionElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useFrame(({ place }) => {
    view.points.forEach((p, i) => {
      body.current?.rows[i]?.classList.toggle('here', p.x === place.x && p.y === place.y);
    });
  });
  return (
    <div className="block">
      <h3 className="cap">Cells</h3>
      <table className="beside">
        <thead>
          <tr>
            <th scope="col">
              <SettingNames />
            </th>
            <th scope="col">mean</th>
            <th scope="col">95 %</th>
            <th scope="col">runs</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {view.points.map((p) => (
            <tr key={p.cell.id}>
              <SettingHead point={p} />
              <td>{decimal(p.mean, digits)}</td>
              <td>{p.half === null ? '–' : plusMinus(p.half, digits)}</td>
              <td>{p.n}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alongWhat({ layout }: ReturnType<typeof useExplorer>['view']): string {
  const axis = layout.across === 'x' ? layout.x : layout.y;
  if (!axis) return 'settings';
  return axis.name === 'mtu_bytes' ? 'MTU' : inSentence(shortName(axis));
}

function SettingNames() {
  const { view } = useExplorer();
  const { x, y } = view.layout;
  const up = y && y.levels.length > 1 ? y : null;
  const across = x && x.levels.length > 1 ? x : null;
  return (
    <>
      {up && <QuantityName name={up.name}>{shortName(up)}</QuantityName>}
      {up && across && ' / '}
      {across && <QuantityName name={across.name}>{inSentence(shortName(across))}</QuantityName>}
    </>
  );
}

/** The headline: the value at the crosshair, and the cell beside it. */
function Now({ children }: { children?: ReactNode }) {
  const { view } = useExplorer();
  const value = useRef<HTMLElement>(null);
  const half = useRef<HTMLSpanElement>(null);
  const beside = useRef<HTMLSpanElement>(null);
  const at = useRef<HTMLElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useTurn(({ place, state }) => {
    const { x, y } = view.layout;
    const settings = [
      y && state.y !== null ? namedSetting(y, state.y) : '',
      x && state.x !== null ? namedSetting(x, state.x) : '',
    ];
    write(at.current, settings.filter(Boolean).join(', '));
    write(
      value.current,
      Number.isFinite(place.value) ? worded(place.value, digits, view.measure.meanings) : 'no value',
    );
    write(half.current, place.half === null ? '' : plusMinus(place.half, digits));
    const { cell } = place;
    let words = view.measured
      ? Number.isFinite(place.value)
        ? 'between cells: interpolated'
        : 'between cells'
      : 'no data: the model alone';
    if (view.measured && place.prediction && !cell)
      words = view.binding?.takesFrames ? 'between cells: interpolated' : 'between cells: the model alone';
    if (cell)
      words = `${cell.n === 1 ? 'one run' : 'cell mean'} ${decimal(cell.mean, digits)}${cell.half === null ? '' : ` ${plusMinus(cell.half, digits)}`}`;
    write(beside.current, words);
    return true;
  });
  const split = view.binding !== null && view.binding.parts.length > 0;
  return (
    <div className="block">
      <header className="row">
        <h3 className="cap">
          {split ? 'CPU cost split' : 'At the crosshair'} <small ref={at} />
        </h3>
      </header>
      <p className="now">
        <b ref={value} /> <i ref={half} />
        <i>
          <Rich>{unitAfter(view.measure).trim()}</Rich>
        </i>
        <span ref={beside} />
      </p>
      {children}
    </div>
  );
}

function CostSplit() {
  const { view, store } = useExplorer();
  const plot = usePlot();
  const { frames } = store.get();
  const { binding, layout } = view;
  const digits = digitsFor(view.values[1] - view.values[0]);
  const corner = { x: layout.x?.levels[0] ?? 0, y: layout.y?.levels[0] ?? 0 };
  useTurn((live, held) => {
    const host = plot.element.current;
    const now = live.place.prediction;
    if (!host || !binding || !now || plot.hidden.current) return false;
    const reference = predictAt(binding, corner.x, corner.y, frames, live.theta);
    const words = [layout.y && namedSetting(layout.y, corner.y), layout.x && namedSetting(layout.x, corner.x)]
      .filter(Boolean)
      .join(', ');
    const label = `${words}: ${decimal(reference.total, digits)}`;
    plot.show(splitShapes(now, reference, label, digits, plot.width.current), held);
    if (held) return true;
    host.setAttribute(
      'aria-label',
      `bytes ${decimal(now.parts[0], digits)}, packets ${decimal(now.parts[1], digits)}, interrupts ${decimal(now.parts[2], digits)} ${shortUnit(view.measure.unit)}`,
    );
    return true;
  });
  return plot.of({ className: 'plot wide', height: SPLIT_HEIGHT, role: 'img', 'aria-label': 'Cost split' });
}

export const Panel = memo(function Panel({ fitState }: { fitState: FitState | null }) {
  const { view, subject } = useExplorer();
  const { binding } = view;
  if (!binding)
    return (
      <aside className="model" aria-label="Model">
        <div className="block">
          <header className="row">
            <h2>{view.models.length > 0 || view.field ? 'No model' : 'No model for this measure'}</h2>
            <ModelMenu current={NO_MODEL} />
          </header>
          <p className="why">
            {view.field
              ? `Between the cells, values are interpolated: monotone along the ${alongWhat(view)}, so that no optimum is invented.`
              : `Nothing is drawn between these cells: ${whyNothingBetween(view)}.`}
          </p>
          {view.models.length > 0 && <p className="why">A model predicts this measure: choose it under Change.</p>}
          {view.models.length === 0 &&
            view.slice.unbound(view.measure.name).map(({ model, reason }) => (
              <p className="why" key={model.id}>
                {model.title} {reason}.
              </p>
            ))}
        </div>
        <Now />
        {view.points.length > 0 && view.points.length <= 100 && <CellList />}
        <PythonStatus />
      </aside>
    );
  const split = binding.parts.length > 0;
  const notes = binding.model.notes;
  return (
    <aside className="model" aria-label="Model">
      <div className="block">
        <header className="row">
          <h2>
            {catalogue.models.includes(binding.model) ? (
              <Link href={`/models/${binding.model.id}/about`}>{binding.model.title}</Link>
            ) : (
              binding.model.title
            )}
          </h2>
          <ModelMenu current={binding.model.id} />
        </header>
        <Equation model={binding.model} output={binding.output} label="Equation" />
        {subject.of === 'model' && (
          <p className="note">
            <Link href={`/models/${binding.model.id}/about`}>About this model</Link> ·{' '}
            <Link href={`/workshop?model=${binding.model.id}`}>Open in the workshop</Link>
          </p>
        )}
        <LiveNumbers />
        <Ignored />
        <FramesSwitch />
      </div>
      <FitBlock state={fitState} />
      <Beside>
        <Pins />
        <Residuals />
        <Now>
          {split && <CostSplit />}
          {split && <SplitAlong />}
        </Now>
        {notes.length > 0 && view.measured && (
          <details className="block more">
            <summary>About this model</summary>
            <p className="note">{binding.model.summary}</p>
            {notes.map((note) => (
              <p className="note" key={note}>
                {note}
              </p>
            ))}
            <p className="note">{binding.model.citation}</p>
          </details>
        )}
        <PythonStatus />
      </Beside>
    </aside>
  );
});
