// SPDX-License-Identifier: Apache-2.0
// What is wanted, in one row: the goal, what must be kept, what it is compared with. Limits on factors look like limits on measures.

import { type ReactNode, useId, useMemo, useState } from 'react';
import type { Quantity, Recommendation } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { catalogue } from '../../engine/catalogue';
import { Drawing, useWidth } from '../../layers/Drawing';
import { decimal } from '../../plots/number';
import {
  type Advice,
  GOALS,
  type Goal,
  type Limit,
  limitIn,
  MOST_LIMITS,
  MOST_WEIGHT,
  ROLES,
  type Role,
  START_ADVICE,
  withLimit,
} from '../../state/advice';
import type { DataSlice } from '../../state/dataSlice';
import type { Axis } from '../../state/layout';
import { settingText, shortName, unitAfter } from '../explorer/figure/messages';
import { RULER_HEIGHT, rulerShapes } from '../explorer/figure/ruler';
import { shortMeasure } from './changeWords';
import { goalLabel, unmeasured } from './messages';
import { measured, type Question, type Refusal } from './question';
import { settingName } from './settingWords';

interface Props {
  readonly advice: Advice;
  readonly slice: DataSlice;
  readonly question: Question | Refusal;
  /** What is compared with, as the last answer had it. */
  readonly reference: string | null;
  readonly guards: Recommendation['guards'];
  /** What the picture shows. */
  readonly measure: string;
  readonly set: (change: Partial<Advice>) => void;
}

interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/** One of a few, under its name. With one possibility it is dashed, and says why there is no other. */
function Choice(props: {
  label: string;
  value: string;
  options: readonly Option[];
  why?: string;
  /** It waits for an answer. */
  asks?: boolean;
  onValue: (value: string) => void;
}) {
  const { label, value, options, why, asks = false, onValue } = props;
  const id = useId();
  return (
    <div className={asks ? 'choice asks' : 'choice'}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={why !== undefined}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {why !== undefined ? (
          <option value={value}>{why}</option>
        ) : (
          options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))
        )}
      </select>
    </div>
  );
}

function Weight({
  role,
  label,
  why,
  value,
  onValue,
}: {
  role: Role;
  label: string;
  why?: string;
  value: number;
  onValue: (value: number) => void;
}) {
  const [place, width] = useWidth<HTMLDivElement>();
  const shapes = useMemo(
    () =>
      rulerShapes({ lo: 0, hi: MOST_WEIGHT, start: 1, interval: null, condition: '', spacing: 'linear' }, value, width),
    [value, width],
  );
  const id = `weight-${role}`;
  return (
    <div className={value === START_ADVICE.weights[role] ? 'param' : 'param edited'}>
      <label htmlFor={id}>
        {label}
        {why && <small>{why}</small>}
      </label>
      <span className="value">
        <output htmlFor={id}>{decimal(value, 1)}</output>
      </span>
      <div className="track" ref={place}>
        <div className="ruler" aria-hidden="true">
          <Drawing label="" width={width} height={RULER_HEIGHT} shapes={shapes} />
        </div>
        <input
          id={id}
          type="range"
          min={0}
          max={MOST_WEIGHT}
          step={0.1}
          value={value}
          disabled={why !== undefined}
          onChange={(event) => onValue(Math.round(event.currentTarget.valueAsNumber * 10) / 10)}
          onDoubleClick={() => onValue(START_ADVICE.weights[role])}
        />
      </div>
    </div>
  );
}

/** A field that is read when it is left, or Enter is pressed, and says what it cannot take. */
export function Field(props: {
  label: string;
  /** What the label is the name of. */
  quantity?: string;
  value: string;
  unit?: string;
  numeric?: boolean;
  /** What is wrong with the words; null: they were taken. */
  take: (text: string) => string | null;
}) {
  const { label, quantity, value, unit = '', numeric = false, take } = props;
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <div className="bound">
      {quantity ? <QuantityName name={quantity}>{label}</QuantityName> : <span>{label}</span>}
      <span className="boundvalue">
        <input
          key={value}
          aria-label={label}
          defaultValue={value}
          inputMode={numeric ? 'decimal' : undefined}
          className={numeric ? 'number' : 'name'}
          spellCheck={false}
          aria-invalid={problem !== null}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          onBlur={(event) => setProblem(take(event.currentTarget.value.trim()))}
        />
        {unit && <small>{unit}</small>}
      </span>
      {problem && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

const directionOf = (quantity: Pick<Quantity, 'better'>): Limit['limit'] =>
  quantity.better === 'more' ? 'at least' : 'at most';

interface Bound {
  readonly measure: string;
  readonly label: string;
  readonly unit: string;
  readonly limit: Limit['limit'];
}

/** What can be limited in its unit: what a goal can be about, what is guarded of it, and whatever the address limits. */
function boundsOf({ slice, question, advice, measure }: Props): Bound[] {
  const known = measured(slice, measure);
  const guarded = slice.measures.filter((m) => m.guarded);
  const aimed = 'aims' in question ? question.aims.map((a) => a.quantity) : [];
  const offered = [...ROLES.flatMap((role) => known[role] ?? []), ...aimed, ...guarded];
  const bounds = offered.map((q) => ({
    measure: q.name,
    label: q.label,
    unit: unitAfter(q).trim(),
    limit: directionOf(q),
  }));
  const others = advice.limits
    .filter(
      ({ measure: name, limit }) => !limit.startsWith('within') && !limitedAxes(slice).some((a) => a.name === name),
    )
    .map(({ measure: name, limit }) => ({ measure: name, label: name, unit: '', limit }));
  const keys = new Set<string>();
  return [...bounds, ...others].filter(({ measure: name, limit }) => {
    const key = `${name} ${limit}`;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

/** Limits in the unit of a measure. */
function Absolute(props: Props) {
  const { advice, set } = props;
  const bounds = boundsOf(props);
  const own = bounds.filter((b) => advice.limits.some((l) => l.measure === b.measure && l.limit === b.limit));
  return (
    <details className="more" open={own.length > 0 || undefined}>
      <summary>Limits in numbers</summary>
      <div className="bounds">
        {bounds.map(({ measure, label, unit, limit }) => {
          const own = advice.limits.find((l) => l.measure === measure && l.limit === limit);
          return (
            <Field
              key={`${measure} ${limit}`}
              label={`${label}, ${limit}`}
              quantity={measure}
              value={own ? String(own.value) : ''}
              unit={unit}
              numeric
              take={(text) => {
                const value = limitIn(text);
                if (text !== '' && value === null)
                  return `a number above zero${own ? `; ${own.value} ${unit} stays` : ''}`;
                if (value !== null && !own && advice.limits.length >= MOST_LIMITS) return 'too many limits';
                if (value !== (own?.value ?? null)) set({ limits: withLimit(advice.limits, measure, limit, value) });
                return null;
              }}
            />
          );
        })}
      </div>
    </details>
  );
}

/** Axes whose levels somebody chooses, and that the server knows a limit of. */
const limitedAxes = ({ layout }: DataSlice): Axis[] =>
  [layout.x, layout.y].flatMap((axis) =>
    axis && !axis.names && catalogue.quantities.some((q) => q.name === axis.name && q.role === 'factor') ? [axis] : [],
  );

/** "Delay at most", "MTU at most": the levels that were measured. Of a rate the smaller one waits longer: "at least". */
function AxisLimit({ axis, advice, asks, set }: { axis: Axis; advice: Advice; asks: boolean; set: Props['set'] }) {
  const name = axis.name === 'mtu_bytes' ? 'MTU' : shortName(axis);
  const side = axis.name.endsWith('_hz') ? 'at least' : 'at most';
  const own = advice.limits.find((l) => l.measure === axis.name && l.limit === side);
  const unit = axis.name === 'mtu_bytes' ? '' : unitAfter(axis);
  const levels = own && !axis.levels.includes(own.value) ? [...axis.levels, own.value] : axis.levels;
  const options = [
    { value: '', label: asks ? 'choose a limit' : 'no limit' },
    ...levels.map((level) => ({ value: String(level), label: `${settingText(axis, level)}${unit}` })),
  ];
  return (
    <Choice
      label={`${name} ${side}`}
      value={own ? String(own.value) : ''}
      options={options}
      why={axis.levels.length < 2 ? `${settingText(axis, axis.levels[0])}${unit} only` : undefined}
      asks={asks && !own}
      onValue={(text) => set({ limits: withLimit(advice.limits, axis.name, side, text === '' ? null : Number(text)) })}
    />
  );
}

const THROUGHPUT = [1, 2, 5, 10, 25];
const LATENCY = [5, 10, 25, 50, 100, 200, 900];

/** What is kept in percent: throughput of its best, latency of what it is now. */
function Kept(props: Props & { of: 'throughput' | 'latency' }) {
  const { of: role, advice, slice, question, guards, set } = props;
  const label = role === 'throughput' ? 'Keep throughput' : 'Keep latency';
  const direction = role === 'throughput' ? 'within' : 'within current';
  const ofRole = (name: string) => catalogue.quantities.some((q) => q.name === name && q.aim === role);
  const own = advice.limits.find((l) => l.limit === direction && ofRole(l.measure));
  const guard = guards.find((g) => ofRole(g.measure));
  const isAimed = 'aims' in question && question.aims.some((a) => a.role === role);
  const guarded = slice.measures.find((m) => m.guarded && m.aim === role);
  const quantity = guarded ?? measured(slice, '')[role];
  const why = isAimed ? 'is aimed at' : quantity ? undefined : 'not measured here';
  const words = (percent: number): string => {
    if (role === 'throughput') return `within ${percent} % of its best`;
    const what = guarded ? shortMeasure(guarded).replace(/latency$/, '') : '';
    return percent < 100 ? `${what}at most ${percent} % above now` : `${what}at most ${percent / 100 + 1} × now`;
  };
  const percents = role === 'throughput' ? THROUGHPUT : LATENCY;
  const value = own?.value ?? guard?.value;
  const listed = value === undefined || percents.includes(value) ? percents : [...percents, value];
  const options = listed.map((percent) => ({ value: String(percent), label: words(percent) }));
  const none = {
    value: '',
    label: role === 'latency' && !guard && advice.limits.length > 0 ? 'the delay is limited' : 'no limit',
  };
  return (
    <Choice
      label={label}
      value={value === undefined ? '' : String(value)}
      options={value === undefined ? [none, ...options] : options}
      why={why}
      onValue={(text) =>
        quantity &&
        set({
          limits: withLimit(
            advice.limits,
            guard?.measure ?? own?.measure ?? quantity.name,
            direction,
            text === '' ? null : Number(text),
          ),
        })
      }
    />
  );
}

const MOST_SETTINGS = 200;

/** What is set now, of what was measured: the answer is compared with it, and stays near to it. */
function Now({ advice, slice, reference, set }: Props) {
  const { x, y } = slice.layout;
  const axes = [y, x].filter((axis): axis is Axis => axis !== null && !axis.names && axis.levels.length > 1);
  const settings = axes
    .reduce<Record<string, number>[]>(
      (all, axis) => all.flatMap((known) => axis.levels.map((level) => ({ ...known, [axis.name]: level }))),
      [{}],
    )
    .filter((setting) =>
      slice.cells.some(({ factors }) => Object.entries(setting).every(([name, level]) => factors[name] === level)),
    )
    .slice(0, MOST_SETTINGS);
  const keyOf = (setting: Readonly<Record<string, number>>) => JSON.stringify(setting);
  const own = settings.find((s) => axes.every(({ name }) => advice.current[name] === s[name]));
  const unsaid = (own ? null : reference) ?? 'the default or the least';
  return (
    <Choice
      label="Compared with"
      value={own && axes.length > 0 ? keyOf(own) : ''}
      options={[
        { value: '', label: unsaid },
        ...settings.map((s) => ({ value: keyOf(s), label: `set now: ${settingName(slice.layout, s, false)}` })),
      ]}
      why={settings.length < 2 ? (reference ?? 'one setting only') : undefined}
      onValue={(text) => set({ current: text === '' ? {} : (JSON.parse(text) as Record<string, number>) })}
    />
  );
}

export function Controls(props: Props & { asks: boolean }): ReactNode {
  const { advice, slice, question, measure, asks, set } = props;
  const known = measured(slice, measure);
  const goals = GOALS.map((goal) => ({
    value: goal,
    label: goalLabel(goal, known),
  }));
  return (
    <>
      <div className="wanted">
        <Choice label="Goal" value={question.goal} options={goals} onValue={(goal) => set({ goal: goal as Goal })} />
        <Kept {...props} of="throughput" />
        <Kept {...props} of="latency" />
        {limitedAxes(slice).map((axis) => (
          <AxisLimit
            key={axis.name}
            axis={axis}
            advice={advice}
            asks={asks && axis.name.startsWith('delay')}
            set={set}
          />
        ))}
        <Now {...props} />
      </div>
      {question.goal === 'trade' && (
        <div className="weights" role="group" aria-label="Weights">
          <p className="note">What a relative change of each is worth; 0: it does not count.</p>
          {ROLES.map((role) => (
            <Weight
              key={role}
              role={role}
              label={goalLabel(role, known)}
              why={unmeasured(role, known)}
              value={advice.weights[role]}
              onValue={(value) => set({ weights: { ...advice.weights, [role]: value } })}
            />
          ))}
        </div>
      )}
      <Absolute {...props} />
    </>
  );
}
