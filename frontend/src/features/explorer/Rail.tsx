// SPDX-License-Identifier: Apache-2.0
// Which data: experiment, choices, measure, factors, what was held fixed.

import { type KeyboardEvent, memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useExperiments } from '../../api/queries';
import type { Experiment, Factor, FactorValue } from '../../api/types';
import { inSentence } from '../../components/factorWords';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { Beside, Later } from '../../components/Later';
import { Menu, MenuItem } from '../../components/Menu';
import { Helped, QuantityName } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { catalogue } from '../../engine/catalogue';
import { draw } from '../../layers/svg';
import { decimal } from '../../plots/number';
import { makeScale } from '../../plots/scale';
import { line, MIDDLE, type Shape, TICK, text } from '../../plots/shapes';
import { swapped, withLevel } from '../../state/explorer';
import { type Axis, levelAt, matches } from '../../state/layout';
import type { BundledQuantity } from '../../state/models';
import { TourButton } from '../tour/TourButton';
import { Awaited } from './Awaited';
import { AxisMenu } from './axes/AxisMenu';
import { LevelPicker, MOST_LISTED } from './axes/LevelPicker';
import { useExplorer, useFrame, useSized } from './context';
import { rowsShown } from './figure/live';
import { cutShort, levelWords, redundant, settingText, settingWords, shortName, shortUnit } from './figure/words';

interface Option {
  readonly value: string;
  readonly label: ReactNode;
  readonly note: ReactNode;
  readonly unavailable?: boolean;
}

/** One of a few, arrows move. What cannot be chosen says why in its place. */
function Options(props: {
  label: string;
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const open = props.options.filter((o) => !o.unavailable);
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step || open.length === 0) return;
    event.preventDefault();
    const at = open.findIndex((o) => o.value === props.value);
    const next = open[(at + step + open.length) % open.length];
    props.onChange(next.value);
    list.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  }
  const focusable = open.some((o) => o.value === props.value) ? props.value : open[0]?.value;
  return (
    <div ref={list} className="opts" role="radiogroup" aria-label={props.label} onKeyDown={onKeyDown}>
      {props.options.map(({ value, label, note, unavailable }) => (
        <button
          key={value}
          type="button"
          role="radio"
          data-value={value}
          aria-checked={value === props.value}
          aria-disabled={unavailable || undefined}
          tabIndex={value === focusable ? 0 : -1}
          onClick={() => !unavailable && props.onChange(value)}
        >
          <span>{label}</span> <small>{note}</small>
        </button>
      ))}
    </div>
  );
}

function ExperimentMenu({ experiment }: { experiment: Experiment }) {
  // the list can wait: the server is to answer the cells and the fit first
  const [wanted, setWanted] = useState(false);
  const [, go] = useLocation();
  const all = useExperiments(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), 1500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Menu
      label={`Experiment: ${experiment.title}`}
      onOpen={() => setWanted(true)}
      align="start"
      className="pick"
      after={<Awaited experiments={all} />}
      trigger={
        <>
          <span>{experiment.title}</span>
          <Icon name="down" small />
        </>
      }
    >
      {(all.data ?? []).map(({ slug, title, kind }) => (
        <MenuItem key={slug} note={kind} checked={slug === experiment.slug} onSelect={() => go(`/explorer/${slug}`)}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}

function SourceLink({ experiment }: { experiment: Experiment }) {
  const { url } = experiment.source;
  const note = experiment.source_note ?? (url ? 'source' : null);
  if (!note) return null;
  return url ? (
    <a href={url} rel="noreferrer" target="_blank">
      {note}
    </a>
  ) : (
    <span className="note">{note}</span>
  );
}

const SHORT: Readonly<Record<string, string>> = {
  rx_interrupt_rate_hz: 'Interrupt rate',
  rx_interrupts_per_gb: 'Interrupts',
  rx_packets_per_gb: 'Packets',
};

function shortLabel(q: BundledQuantity): string {
  return SHORT[q.name] ?? q.label.replace(' per 10⁹ bytes', '');
}

function unitNote(q: BundledQuantity): string {
  if (q.name === 'packets_per_interrupt') return '';
  const unit = shortUnit(q.unit);
  return q.unit.endsWith('/GB') ? (unit === 'jiffies' || unit === 's' ? unit : 'per 10⁹ B') : unit;
}

/** Counted by the interface or the kernel, and only useful beside the time they were counted in. */
const RAW = new Set([
  'elapsed_s',
  'rx_bytes',
  'rx_packets',
  'tx_bytes',
  'tx_packets',
  'rx_interrupts',
  'rx_line_interrupts',
  'drops',
  'interface_drops',
  'ring_drops',
  'backlog_drops',
  'socket_drops',
  'datagrams_lost',
  'traffic_cpu_s',
  'traffic_cpu_jiffies',
  'interface_cpu_s',
  'interface_cpu_jiffies',
  'interface_cpu_jiffies_per_gb',
  'workload_cpu_s',
  'workload_cpu_jiffies',
  'workload_cpu_jiffies_per_gb',
  'host_cpu_s',
  'probe_cpu_s',
  'package_energy_j',
  'system_cpu_s',
  'system_cpu_jiffies',
  'tx_throughput_mbps',
  'rx_packets_per_gb',
]);

/** Its press chooses the measure; the definition opens where the pointer rests, or with “?”. */
function Named({ of }: { of: BundledQuantity }) {
  return (
    <span data-quantity={of.name}>
      <Rich>{shortLabel(of)}</Rich>
    </span>
  );
}

function Measures() {
  const { subject, store, view, slices } = useExplorer();
  const { where } = store.get();
  const slice = slices(store.get());
  const published = subject.of === 'experiment' && subject.experiment.kind === 'published';
  const elsewhere = (name: string) =>
    subject.of === 'experiment' && subject.experiment.measures.some((m) => m.name === name && m.cells > 0);
  const chosen = view.measure.name;
  const options = (list: readonly BundledQuantity[]) =>
    list.map((m) => ({ value: m.name, label: <Named of={m} />, note: <Rich>{unitNote(m)}</Rich> }));
  const first = slice.measures.filter((m) => !RAW.has(m.name) || m.name === chosen);
  const raw = slice.measures.filter((m) => RAW.has(m.name) && m.name !== chosen);
  const lacking = slice.missing
    .filter((m) => !RAW.has(m.name))
    .map((m) => ({
      value: m.name,
      label: <Named of={m} />,
      note: elsewhere(m.name)
        ? `not with ${Object.values(where).map(levelWords).join(', ')}`
        : published
          ? 'not tabulated'
          : 'not available',
      unavailable: true,
    }));
  const choose = (measure: string) => store.update({ measure, model: null, byHand: {}, pins: [] });
  return (
    <>
      <Options label="Measure" options={[...options(first), ...lacking]} value={chosen} onChange={choose} />
      {raw.length > 0 && (
        <details className="more">
          <summary>{raw.length} more, as counted</summary>
          <Later>
            <Options label="Measure, as counted" options={options(raw)} value={chosen} onChange={choose} />
          </Later>
        </details>
      )}
    </>
  );
}

/** A few levels stand in the rail; of many, the chosen one, and a list that can be searched. */
function Levels({ factor }: { factor: Factor }) {
  const { subject, store, terms } = useExplorer();
  const { where } = store.get();
  const cells = subject.of === 'experiment' ? subject.cells : [];
  const count = new Map<FactorValue | undefined, number>();
  const { [factor.name]: _, ...others } = where;
  for (const cell of cells)
    if (matches(cell, others)) count.set(cell.factors[factor.name], (count.get(cell.factors[factor.name]) ?? 0) + 1);
  const options = factor.levels.map((level) => {
    const n = count.get(level) ?? 0;
    const unit = typeof level === 'number' && factor.unit ? ` ${factor.unit}` : '';
    return {
      value: String(level),
      label: levelWords(level) + unit,
      note: `${n} ${n === 1 ? 'cell' : 'cells'}`,
      unavailable: n === 0,
    };
  });
  const choose = (value: string) => {
    const level = factor.levels.find((l) => String(l) === value) ?? value;
    store.set(withLevel(store.get(), factor.name, level, terms));
  };
  const List = options.length > MOST_LISTED ? LevelPicker : Options;
  return <List label={factor.label} value={String(where[factor.name])} options={options} onChange={choose} />;
}

function Choices() {
  const { subject, view } = useExplorer();
  if (subject.of !== 'experiment') return null;
  return view.layout.choices.map((factor) => (
    <div className="block" key={factor.name}>
      <h2 className="cap">
        <QuantityName name={factor.name}>{factor.label}</QuantityName>
      </h2>
      <Levels factor={factor} />
    </div>
  ));
}

/** The settings of the axis across as a little ruler, with the needle on it. */
function RangeRuler({ axis }: { axis: Axis }) {
  const svg = useSized<SVGSVGElement>();
  const shown = useRef('');
  const { view } = useExplorer();
  useFrame((live) => {
    const host = svg.element.current;
    const width = svg.width.current;
    if (!host || width === 0) return;
    const at = view.layout.across === 'x' || axis === view.layout.x ? live.state.x : live.state.y;
    const key = `${axis.name} ${axis.levels.length} ${at} ${width}`;
    if (key === shown.current) return;
    shown.current = key;
    const { levels } = axis;
    const [lo, hi] = [levels[0], levels[levels.length - 1]];
    const x = makeScale(levels, axis.spacing, [lo, hi], [5, width - 5]);
    const shapes: Shape[] = [line(x(lo), 9, x(hi), 9, { stroke: 'var(--line-3)' })];
    for (const v of levels)
      shapes.push(
        line(x(v), 6, x(v), 12, {
          stroke: v === lo || v === hi ? 'var(--ink)' : 'var(--line-3)',
          'stroke-width': v === lo || v === hi ? 1.5 : 1,
        }),
      );
    if (at !== null && at >= lo && at <= hi)
      shapes.push(line(x(at), 3, x(at), 15, { stroke: 'var(--needle)', 'stroke-width': 1.5 }));
    const ends = [lo, hi].map((v) => cutShort(settingText(axis, v), 10));
    shapes.push(text(0, 26, ends[0], TICK), text(width, 26, ends[1], { 'text-anchor': 'end', ...TICK }));
    if (levels.length > 2 && width > 150)
      shapes.push(text((x(lo) + x(hi)) / 2, 26, `${levels.length} settings`, { ...MIDDLE, ...TICK }));
    draw(host, shapes);
  });
  const { levels } = axis;
  return (
    <svg
      ref={svg.attach}
      className="range"
      height={32}
      role="img"
      aria-label={`${shortName(axis)} from ${settingWords(axis, levels[0])} to ${settingWords(axis, levels[levels.length - 1])}, ${levels.length} settings`}
    />
  );
}

function LineChips({ axis }: { axis: Axis }) {
  const { store, view } = useExplorer();
  const shown = [...rowsShown(axis.levels, store.get().lines)];
  const inks = Math.min(axis.levels.length, 5);
  return (
    <div className={axis.levels.length > 12 ? 'chips many' : 'chips'}>
      {axis.levels.map((level, i) => (
        <button
          key={level}
          type="button"
          className={`c${axis.levels.length <= 5 ? i + 1 : Math.round((i * (inks - 1)) / (axis.levels.length - 1)) + 1}`}
          aria-pressed={shown.includes(level)}
          aria-label={`Line of ${view.layout.y?.label ?? ''} ${levelAt(axis, level)}`}
          onClick={() => {
            const next = axis.levels.filter((l) => (l === level ? !shown.includes(l) : shown.includes(l)));
            store.update({ lines: next.length === axis.levels.length ? null : next });
          }}
        >
          {settingText(axis, level)}
        </button>
      ))}
    </div>
  );
}

function AxisRow({ at, axis, chips }: { at: 'x' | 'y'; axis: Axis; chips: boolean }) {
  const { terms, view } = useExplorer();
  const single = axis.levels.length === 1;
  const unit = redundant(axis) ? '' : axis.unit;
  const roomy = !chips && !axis.names && shortName(axis).length + unit.length < 13;
  const tall = !single && !roomy;
  let shown = <RangeRuler axis={axis} />;
  if (single) shown = <em>{settingText(axis, axis.levels[0])}</em>;
  else if (chips) shown = <LineChips axis={axis} />;
  return (
    <div className={tall ? 'factor tall' : 'factor'} data-factor={axis.name}>
      <span>
        {/* an axis that is there alone lies across, whichever it was chosen for */}
        <i className="at">{view.layout.across === at ? 'x' : at}</i>
        {terms.factors.length > 1 ? (
          <AxisMenu at={at} />
        ) : (
          <QuantityName name={axis.name}>{shortName(axis)}</QuantityName>
        )}{' '}
        {unit && <small>{unit}</small>}
      </span>
      {shown}
    </div>
  );
}

function Factors() {
  const { subject, store, terms, view } = useExplorer();
  const { x, y, shape } = view.layout;
  const facets = terms.factors.filter((f) => f.levels.length > 1).length > 1;
  return (
    <div className="block">
      <header className="row">
        <h2 className="cap">Factors</h2>
        {x && y && (
          <button type="button" className="quiet small" onClick={() => store.set(swapped(store.get(), terms))}>
            <Icon name="swap" small />
            Swap x and y
          </button>
        )}
      </header>
      {y && <AxisRow at="y" axis={y} chips={shape === 'plane'} />}
      {!y && terms.factors.length > 1 && (
        <div className="factor">
          <span>
            <i className="at">y</i>
            <AxisMenu at="y" />
          </span>
        </div>
      )}
      {x && <AxisRow at="x" axis={x} chips={false} />}
      {facets && (
        <div className="factor">
          <span>Facets</span>
          <AxisMenu at="facet" />
        </div>
      )}
      {subject.of === 'experiment' && (
        <div className="factor">
          <span>Replicates</span>
          <em>
            {subject.experiment.replicates_label}
            {subject.experiment.runs > 0 && !subject.opened && (
              <>
                {' · '}
                <Link href={`/experiments/${subject.experiment.slug}/runs`}>
                  {decimal(subject.experiment.runs, 0)} {subject.experiment.runs === 1 ? 'run' : 'runs'}
                </Link>
                {' · '}
                <Link href={`/experiments/${subject.experiment.slug}/replicates`}>spread</Link>
                {' · '}
                <Link href={`/compare?a=${subject.experiment.slug}`}>compare</Link>
              </>
            )}
          </em>
        </div>
      )}
    </div>
  );
}

/** Sources mostly use words of their own; some are the glossary's. */
const nameOf = (label: string): string | null => catalogue.quantities.find((q) => q.label === label)?.name ?? null;

function Fixed({ experiment }: { experiment: Experiment }) {
  const single = experiment.factors.filter((f) => f.levels.length === 1 && f.name !== 'mtu_bytes');
  const rows = [
    ...single.map((f) => ({
      name: f.name,
      label: f.label,
      value: `${levelWords(f.levels[0])}${f.unit ? ` ${f.unit}` : ''}`,
    })),
    ...experiment.fixed.map((each) => ({ name: nameOf(each.label), ...each })),
  ];
  if (rows.length === 0) return null;
  return (
    <div className="block fixed">
      <h2 className="cap">Held fixed</h2>
      <dl>
        {rows.map(({ name, label, value }) => (
          <div key={label}>
            <dt>{name === null ? label : <QuantityName name={name}>{label}</QuantityName>}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Notes({ experiment }: { experiment: Experiment }) {
  const notes = experiment.notes.length > 0 ? experiment.notes : experiment.source.notes;
  const { citation, how_made, licence } = experiment.source;
  if (notes.length === 0 && !citation && !how_made) return null;
  return (
    <div className="block notes">
      {notes.map((note) => (
        <p className="note" key={note}>
          <Rich>{note}</Rich>
        </p>
      ))}
      {(citation || how_made || licence) && (
        <details className="more">
          <summary>Source</summary>
          {[citation, how_made, licence].map(
            (part) =>
              part && (
                <p className="note" key={part}>
                  <Rich>{part}</Rich>
                </p>
              ),
          )}
        </details>
      )}
    </div>
  );
}

function summaryOf({ view, store }: ReturnType<typeof useExplorer>): string {
  const { x, y } = view.layout;
  const chosen = Object.values(store.get().where).map(levelWords);
  const axes = [y, x].filter((a): a is Axis => a !== null).map((a) => `${inSentence(shortName(a))} ${a.levels.length}`);
  return [...chosen, shortLabel(view.measure).toLowerCase().replace('cpu', 'CPU'), axes.join(' × ')]
    .filter(Boolean)
    .join(' · ');
}

export const Rail = memo(function Rail() {
  const helped = useContext(Helped);
  const explorer = useExplorer();
  const { subject } = explorer;
  const [open, setOpen] = useState(false);
  return (
    <aside className={open ? 'rail open' : 'rail'} aria-label="Data">
      <div className="block first">
        <h2 className="cap">{subject.of === 'experiment' ? 'Experiment' : 'Model without data'}</h2>
        {subject.of === 'experiment' ? (
          <>
            {subject.opened ? (
              <p className="pick">{subject.experiment.title}</p>
            ) : (
              <ExperimentMenu experiment={subject.experiment} />
            )}
            <p className="meta">
              {subject.opened ? (
                <span className="not-uploaded">opened here, not uploaded</span>
              ) : (
                <Kind kind={subject.experiment.kind} />
              )}
              <SourceLink experiment={subject.experiment} />
            </p>
          </>
        ) : (
          <>
            <p className="pick">{subject.model.title}</p>
            <p className="meta">
              <Link href="/models">All models</Link>
            </p>
          </>
        )}
        <button type="button" className="summary" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span>
            <Rich>{summaryOf(explorer)}</Rich>
          </span>
          <Icon name="down" small />
        </button>
      </div>
      <Beside>
        <Choices />
        <div className="block">
          <h2 className="cap">{subject.of === 'model' ? 'Output' : 'Measure'}</h2>
          <Measures />
        </div>
        <Factors />
        {subject.of === 'experiment' ? (
          <>
            <Fixed experiment={subject.experiment} />
            <Notes experiment={subject.experiment} />
          </>
        ) : (
          <div className="block notes">
            {[subject.model.summary, ...subject.model.notes, subject.model.citation].map((note) => (
              <p className="note" key={note}>
                <Rich>{note}</Rich>
              </p>
            ))}
          </div>
        )}
        {helped && (
          <div className="block help">
            <Link href="/glossary">Glossary</Link>
            {subject.of === 'experiment' && <TourButton />}
          </div>
        )}
      </Beside>
    </aside>
  );
});
