// SPDX-License-Identifier: Apache-2.0
// Which runs are listed, and in which order. Everything here is in the address.
import type { Experiment } from '../../api/types';
import { Icon } from '../../components/Icon';
import { LevelFilter } from '../../components/LevelFilter';
import { Menu, MenuItem } from '../../components/Menu';
import { type Listing, ORDERS, STATES, WARNINGS } from './listing';
import { ORDER_WORDS, STATE_WORDS, WARNING_WORDS } from './messages';

const ANY = '';

function Choice(props: {
  label: string;
  value: string | null;
  options: readonly { readonly value: string; readonly label: string }[];
  any: string;
  onChange: (value: string | null) => void;
}) {
  return (
    <label className="field">
      {props.label}
      <select value={props.value ?? ANY} onChange={(event) => props.onChange(event.target.value || null)}>
        <option value={ANY}>{props.any}</option>
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

const wordsOf = <T extends string>(names: readonly T[], words: Readonly<Record<T, string>>) =>
  names.map((value) => ({ value, label: words[value] }));

function Order({ experiment, listing, change }: Props) {
  const option = ({ name, label }: { name: string; label: string }) => (
    <option key={name} value={name}>
      {label}
    </option>
  );
  return (
    <div className="order">
      <label className="field">
        Sorted by
        <select value={listing.sort} onChange={(event) => change({ sort: event.target.value, falling: false })}>
          {ORDERS.map((name) => option({ name, label: ORDER_WORDS[name] }))}
          <optgroup label="Factors">{experiment.factors.map(option)}</optgroup>
          <optgroup label="Measures">{experiment.measures.map(option)}</optgroup>
        </select>
      </label>
      <button
        type="button"
        className="quiet"
        aria-pressed={listing.falling}
        onClick={() => change({ falling: !listing.falling })}
      >
        Largest first
      </button>
    </div>
  );
}

function Columns({ experiment, listing, change }: Props) {
  const { show } = listing;
  const toggled = (name: string) => (show.includes(name) ? show.filter((each) => each !== name) : [...show, name]);
  return (
    <Menu
      label="Measures shown"
      align="start"
      trigger={
        <>
          Measures <Icon name="down" small />
        </>
      }
    >
      {experiment.measures.map(({ name, label, unit }) => (
        <MenuItem
          key={name}
          several
          stay
          checked={show.includes(name)}
          note={unit}
          onSelect={() => change({ show: toggled(name) })}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface Props {
  readonly experiment: Experiment;
  readonly listing: Listing;
  readonly change: (next: Partial<Listing>) => void;
}

export function ListControls(props: Props) {
  const { experiment, listing, change } = props;
  function level(name: string, value: string) {
    const { [name]: _, ...others } = listing.where;
    change({ where: value === '' ? others : { ...others, [name]: value } });
  }
  return (
    <div className="list-controls" role="group" aria-label="Which runs, in which order">
      {experiment.factors
        .filter(({ levels }) => levels.length > 1)
        .map(({ name, label, unit, levels }) => (
          <LevelFilter
            key={name}
            name={name}
            label={label}
            unit={unit}
            levels={levels}
            value={listing.where[name] ?? ''}
            onChange={(value) => level(name, value)}
          />
        ))}
      <Choice
        label="State"
        value={listing.state}
        any="any"
        options={wordsOf(STATES, STATE_WORDS)}
        onChange={(state) => change({ state: state as Listing['state'] })}
      />
      <Choice
        label="Warnings"
        value={listing.warnings}
        any="any"
        options={wordsOf(WARNINGS, WARNING_WORDS)}
        onChange={(warnings) => change({ warnings: warnings as Listing['warnings'] })}
      />
      <Order {...props} />
      <Columns {...props} />
    </div>
  );
}
