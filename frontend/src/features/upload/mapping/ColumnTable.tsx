// SPDX-License-Identifier: Apache-2.0
import { useId } from 'react';
import type { Look, Quantity, SeenColumn } from '../../../api/types';
import { choicesFor, type Draft, type DraftColumn, isOwn, openQuestion, ownName, type Role, unitAlong } from './draft';

const ROLES: readonly (readonly [Role, string])[] = [
  ['set', 'set'],
  ['observed', 'observed'],
  ['ignore', 'ignore'],
];
const CERTAINTY = {
  guess: [1, 'A guess'],
  likely: [2, 'Likely'],
  certain: [3, 'Certain'],
  yours: [3, 'By you'],
} as const;
const OF_CPUS = /^% of (\d+|N) CPUs$/;

type OnChange = (change: Partial<DraftColumn>) => void;

function Select(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  disabled?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <select
      aria-label={props.label}
      value={props.value}
      disabled={props.disabled}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {props.options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

function QuantityChoice(props: {
  draft: DraftColumn;
  seen: SeenColumn;
  quantities: readonly Quantity[];
  onChange: OnChange;
}) {
  const { draft, seen, quantities, onChange } = props;
  const { column, role, quantity } = draft;
  if (role === 'ignore') return <span className="none">–</span>;
  return (
    <select
      aria-label={`Quantity of ${column}`}
      value={quantity}
      className={quantity ? undefined : 'ask'}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onChange({
          quantity: chosen,
          unit: unitAlong(draft.unit, quantity || seen.candidates[0] || '', chosen, quantities),
        });
      }}
    >
      {!quantity && (
        <option value="" disabled>
          which one?
        </option>
      )}
      {choicesFor(draft, seen.candidates, quantities).map(({ label, options }) => (
        <optgroup key={label} label={label}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

function UnitChoice({ draft, seen, onChange }: { draft: DraftColumn; seen: SeenColumn; onChange: OnChange }) {
  const { column, role, quantity, unit } = draft;
  if (role === 'ignore' || !quantity) return <span className="none">–</span>;
  if (quantity.startsWith('measure.'))
    return (
      <input
        aria-label={`Unit of ${column}`}
        placeholder="no unit"
        maxLength={40}
        value={unit}
        onChange={(event) => onChange({ unit: event.currentTarget.value.replace(/[[\]]/g, '') })}
      />
    );
  const units = seen.quantity === quantity ? seen.units : [];
  const shown = unit || (seen.quantity === quantity ? seen.unit : '');
  if (units.length === 0) return <span className="none">{shown || '–'}</span>;
  const cpus = OF_CPUS.exec(shown);
  return (
    <>
      <Select
        label={`Unit of ${column}`}
        value={cpus ? '% of N CPUs' : shown}
        options={units.map((each) => [each, each])}
        onChange={(chosen) => onChange({ unit: chosen })}
      />
      {cpus && (
        <input
          type="number"
          min={1}
          max={4096}
          aria-label={`CPUs that ${column} is of`}
          placeholder="how many?"
          value={cpus[1] === 'N' ? '' : cpus[1]}
          onChange={({ currentTarget: { value } }) =>
            onChange({ unit: `% of ${/^[1-9]\d{0,3}$/.test(value) ? value : 'N'} CPUs` })
          }
        />
      )}
    </>
  );
}

function HowSure({ draft, onConfirm }: { draft: DraftColumn; onConfirm: () => void }) {
  const [dots, word] = CERTAINTY[draft.certainty];
  const open = openQuestion(draft);
  return (
    <td className={`sure ${open ? 'open' : ''}`}>
      <b>
        <span className="dots" aria-hidden="true">
          {[1, 2, 3].map((k) => (
            <i key={k} className={k <= dots ? 'on' : ''} />
          ))}
        </span>
        {word}
      </b>
      <span>{draft.why}</span>
      {open?.startsWith('confirm') && (
        <button type="button" className="inline" onClick={onConfirm}>
          Confirm<span className="sr"> {draft.column}</span>
        </button>
      )}
    </td>
  );
}

/** A column that changes its role takes a quantity of its own, unless it comes back to what it was. */
function roleChange(draft: DraftColumn, seen: SeenColumn, role: Role): Partial<DraftColumn> {
  if (role === 'ignore' || draft.role === role) return { role };
  if (draft.role === 'ignore' && draft.quantity && seen.role === role) return { role };
  const own = `${role === 'set' ? 'factor' : 'measure'}.${ownName(draft.column)}`;
  return { role, quantity: isOwn(own) ? own : '', unit: '' };
}

/** One row for each column of the file: what it holds, what it is, and how sure that is. */
export function ColumnTable(props: {
  look: Look;
  draft: Draft;
  quantities: readonly Quantity[];
  onChange: (column: string, change: Partial<DraftColumn>) => void;
}) {
  const { look, draft, quantities, onChange } = props;
  const id = useId();
  const marks = new Map(look.columns.map((seen) => [seen.column, seen]));
  return (
    <table className="map" aria-labelledby={id}>
      <caption className="sr" id={id}>
        Columns of the file
      </caption>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Sample</th>
          <th scope="col">Role</th>
          <th scope="col">Quantity</th>
          <th scope="col">Unit</th>
          <th scope="col">How sure</th>
        </tr>
      </thead>
      <tbody>
        {draft.map((each) => {
          const seen = marks.get(each.column);
          if (!seen) return null;
          const change: OnChange = (next) => onChange(each.column, next);
          return (
            <tr key={each.column} className={each.role === 'ignore' ? 'off' : undefined}>
              <th scope="row">
                <code>{each.column}</code>
              </th>
              <td className="samples">
                {seen.samples.slice(0, 2).map((text, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the samples have no other identity
                  <span key={i}>{text}</span>
                ))}
              </td>
              <td>
                <Select
                  label={`Role of ${each.column}`}
                  value={each.role}
                  options={ROLES}
                  onChange={(role) => change(roleChange(each, seen, role as Role))}
                />
              </td>
              <td>
                <QuantityChoice draft={each} seen={seen} quantities={quantities} onChange={change} />
              </td>
              <td className="units">
                <UnitChoice draft={each} seen={seen} onChange={change} />
                {seen.marked && each.role !== 'ignore' && (
                  <Select
                    label={`Decimal sign of ${each.column}`}
                    value={each.decimal}
                    options={[
                      [',', 'decimal ,'],
                      ['.', 'decimal .'],
                    ]}
                    onChange={(decimal) => change({ decimal: decimal === ',' ? ',' : '.' })}
                  />
                )}
              </td>
              <HowSure draft={each} onConfirm={() => change({})} />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
