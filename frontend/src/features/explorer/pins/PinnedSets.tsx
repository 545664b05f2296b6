// SPDX-License-Identifier: Apache-2.0
// The sets that are pinned: their names, and their numbers beside the current ones. Its code comes with the first of them.

import { useRef } from 'react';
import { Icon } from '../../../components/Icon';
import { Mathematics } from '../../../components/Mathematics';
import { QuantityName } from '../../../components/QuantityName';
import { write } from '../../../layers/messages';
import { decimal, digitsFor, worded } from '../../../plots/number';
import { LONGEST_NAME, type Pin, pinLetter, short } from '../../../state/pins';
import { predictAt } from '../../../state/prediction';
import { useExplorer, useSpareTime } from '../context';
import { DASHES } from '../figure/pinned';
import { comparisonOf, signed, worstOf } from '../figure/residuals';

/** A new name when the field is left, or Enter is pressed; an empty one is none. */
function Name({ pin, onName }: { pin: Pin; onName: (name: string) => void }) {
  return (
    <input
      key={pin.name}
      className="pinname"
      defaultValue={pin.name}
      maxLength={LONGEST_NAME}
      aria-label={`Name of ${pin.name}`}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      onBlur={(event) => {
        const name = event.currentTarget.value.trim();
        if (name === '') event.currentTarget.value = pin.name;
        else if (name !== pin.name) onName(name);
      }}
    />
  );
}

function Swatch({ i }: { i: number }) {
  return (
    <svg width="30" height="10" aria-hidden="true">
      <path d="M0 5h30" stroke="currentColor" strokeWidth="1.5" strokeDasharray={DASHES[i]} fill="none" />
    </svg>
  );
}

/** A column for the current set, and one for each pin. */
function Table({ pins }: { pins: readonly Pin[] }) {
  const { view, store } = useExplorer();
  const body = useRef<HTMLTableSectionElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  const { frames } = store.get();
  const comparison = comparisonOf(view, frames);
  const put = (row: number, column: number, words: string): void => {
    const cell = body.current?.rows[row]?.cells[column];
    write(cell, words);
  };
  const worst = (theta: Readonly<Record<string, number>>): string => {
    const most = comparison && worstOf(comparison.points, comparison.predictions(theta));
    return most ? `${signed(most.percent, 1)} %` : '–';
  };
  useSpareTime(({ theta, place }) => {
    view.sliders.forEach((s, row) => {
      put(row, 1, worded(theta[s.name], s.digits, s.meanings));
    });
    const n = view.sliders.length;
    put(n, 1, worded(place.value, digits, view.measure.meanings));
    if (comparison) put(n + 1, 1, worst(theta));
    pins.forEach((pin, i) => {
      if (view.binding)
        put(n, i + 2, decimal(predictAt(view.binding, place.x, place.y, frames, pin.values).total, digits));
    });
    return true;
  });
  return (
    <div className="pintable">
      <table className="beside">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Parameter</span>
            </th>
            <th scope="col">now</th>
            {pins.map((pin, i) => (
              <th scope="col" key={pinLetter(i)}>
                {pinLetter(i)}
                <span className="sr"> {pin.name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {view.sliders.map((s) => (
            <tr key={s.name}>
              <th scope="row" aria-label={s.label}>
                <QuantityName name={s.name}>
                  <Mathematics className="sym" html={s.symbolMath} />
                </QuantityName>
              </th>
              <td />
              {pins.map((pin, i) => (
                <td key={pinLetter(i)}>{worded(pin.values[s.name], s.digits, s.meanings)}</td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">at the crosshair</th>
            <td />
            {pins.map((_, i) => (
              <td key={pinLetter(i)} />
            ))}
          </tr>
          {comparison && (
            <tr>
              <th scope="row">largest residual</th>
              <td />
              {pins.map((pin, i) => (
                <td key={pinLetter(i)}>{worst(pin.values)}</td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

export default function PinnedSets(props: { pins: readonly Pin[]; replace: (pin: Pin, by: Pin | null) => void }) {
  const { pins, replace } = props;
  const { view, store, settleRulers } = useExplorer();
  return (
    <>
      <ul>
        {pins.map((pin, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pin is its place in the list
          <li key={i}>
            <Swatch i={i} />
            <b>{pinLetter(i)}</b>
            <Name pin={pin} onName={(name) => replace(pin, { ...pin, name })} />
            <button
              type="button"
              className="quiet small"
              aria-label={`Load ${pin.name}`}
              onClick={() => {
                const moved = view.sliders.filter((s) => pin.values[s.name] !== short(s.start));
                store.update({ overrides: Object.fromEntries(moved.map((s) => [s.name, pin.values[s.name]])) });
                settleRulers();
              }}
            >
              Use
            </button>
            <button
              type="button"
              className="quiet small"
              aria-label={`Remove ${pin.name}`}
              onClick={() => replace(pin, null)}
            >
              <Icon name="bad" small />
            </button>
          </li>
        ))}
      </ul>
      <Table pins={pins} />
    </>
  );
}
