// SPDX-License-Identifier: Apache-2.0
// What is wanted: the goal, weights, limits; and whom the commands are for.

import { useMemo, useState } from 'react';
import type { Quantity } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { Segmented } from '../../components/Segmented';
import { drivers } from '../../engine/drivers';
import { Drawing, useWidth } from '../../layers/Drawing';
import { decimal } from '../../plots/number';
import {
  type Advice,
  GOALS,
  isDriver,
  isInterface,
  type Limit,
  limitIn,
  MOST_LIMITS,
  MOST_WEIGHT,
  ROLES,
  type Role,
  START_ADVICE,
  withLimit,
} from '../../state/advice';
import type { Slice } from '../../state/view';
import { RULER_HEIGHT, rulerShapes } from '../explorer/figure/ruler';
import { unitAfter } from '../explorer/figure/words';
import { measured, type Question, type Refusal } from './question';
import { goalLabel, unmeasured } from './words';

interface Props {
  readonly advice: Advice;
  readonly slice: Slice;
  readonly question: Question | Refusal;
  /** What the picture shows. */
  readonly measure: string;
  readonly set: (change: Partial<Advice>) => void;
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
    () => rulerShapes({ lo: 0, hi: MOST_WEIGHT, start: 1, interval: null, spacing: 'linear' }, value, width),
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
function Field(props: {
  label: string;
  /** What the label is the name of. */
  quantity?: string;
  value: string;
  unit?: string;
  numeric?: boolean;
  placeholder?: string;
  /** What is wrong with the words; null: they were taken. */
  take: (text: string) => string | null;
}) {
  const { label, quantity, value, unit = '', numeric = false, placeholder, take } = props;
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
          placeholder={placeholder}
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

/** What can be limited: what a goal can be about, the slowest replies, and whatever the address limits. */
function boundsOf({ slice, question, advice, measure }: Props): Bound[] {
  const known = measured(slice, measure);
  const late = slice.measures.find((m) => m.name === 'latency_p99_us');
  const aimed = 'aims' in question ? question.aims.map((a) => a.quantity) : [];
  const offered = [...ROLES.flatMap((role) => known[role] ?? []), ...aimed, ...(late ? [late] : [])];
  const bounds = offered.map((q) => ({
    measure: q.name,
    label: q.label,
    unit: unitAfter(q).trim(),
    limit: directionOf(q),
  }));
  const others = advice.limits.map(({ measure: name, limit }) => ({ measure: name, label: name, unit: '', limit }));
  const keys = new Set<string>();
  return [...bounds, ...others].filter(({ measure: name, limit }) => {
    const key = `${name} ${limit}`;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

function Limits(props: Props) {
  const { advice, set } = props;
  return (
    <fieldset className="bounds">
      <legend className="cap">
        Limits <small>optional</small>
      </legend>
      {boundsOf(props).map(({ measure, label, unit, limit }) => {
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
              if (text !== '' && value === null) return 'a number above zero';
              if (value !== null && !own && advice.limits.length >= MOST_LIMITS) return 'too many limits';
              if (value !== (own?.value ?? null)) set({ limits: withLimit(advice.limits, measure, limit, value) });
              return null;
            }}
          />
        );
      })}
    </fieldset>
  );
}

/** Whom the commands are for. */
export function Target({ advice, set }: Pick<Props, 'advice' | 'set'>) {
  const listed = advice.driver === null || drivers.includes(advice.driver) ? drivers : [...drivers, advice.driver];
  return (
    <fieldset className="target">
      <legend className="cap">
        Commands for <small>names as in ip link and ethtool -i</small>
      </legend>
      <Field
        label="Interface"
        value={advice.interface}
        take={(text) => {
          if (!isInterface(text)) return 'cannot be the name of an interface';
          if (text !== advice.interface) set({ interface: text });
          return null;
        }}
      />
      <label className="bound">
        <span>Driver</span>
        <select
          value={advice.driver ?? ''}
          onChange={({ currentTarget: { value } }) => set({ driver: isDriver(value) ? value : null })}
        >
          <option value="">not listed</option>
          {listed.map((driver) => (
            <option key={driver}>{driver}</option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

export function Controls(props: Props) {
  const { advice, slice, question, measure, set } = props;
  const known = measured(slice, measure);
  return (
    <>
      <h3 className="cap">Goal</h3>
      <Segmented
        tiny
        label="Goal"
        value={question.goal}
        segments={GOALS.map((goal) => ({ value: goal, label: goalLabel(goal, known) }))}
        onChange={(goal) => set({ goal })}
      />
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
      <Limits {...props} />
    </>
  );
}
