// SPDX-License-Identifier: Apache-2.0
// Which factor stands on an axis, or is laid out in facets, and how a numeric axis is scaled.
import { useContext } from 'react';
import { Icon } from '../../../components/Icon';
import { Menu, MenuCaption, MenuItem } from '../../../components/Menu';
import { TooltipsEnabled } from '../../../components/QuantityName';
import { axesAfter, withAxes } from '../../../state/explorer';
import { type Axis, type AxisScale, NONE } from '../../../state/layout';
import { useExplorer } from '../context';
import { shortName } from '../figure/messages';
import './axes.css';

export type Place = 'x' | 'y' | 'facet';

const PLACES: Readonly<Record<Place, string>> = { x: 'Across', y: 'Up', facet: 'Facets' };
const SCALES: readonly AxisScale[] = ['log', 'linear'];

function useFactors(): { name: string; label: string; note: string; levels: number }[] {
  const { subject, schema } = useExplorer();
  const known =
    subject.of === 'experiment' ? subject.experiment.factors : [...subject.model.inputs, ...subject.model.parameters];
  return schema.factors.flatMap(({ name, levels }) => {
    const factor = known.find((f) => f.name === name);
    if (!factor) return [];
    const settings = levels.length > 0 ? `${levels.length} ${levels.length === 1 ? 'setting' : 'settings'}` : '';
    return [{ name, label: shortName(factor), note: settings || factor.unit, levels: levels.length }];
  });
}

function ScaleItems({ at, axis }: { at: 'x' | 'y'; axis: Axis }) {
  const { store, schema } = useExplorer();
  const state = store.get();
  const possible = schema.slice(state)[at]?.scales ?? [];
  if (possible.length < 2) return null;
  const now: AxisScale = axis.spacing === 'linear' ? 'linear' : 'log';
  const key = at === 'x' ? 'xScale' : 'yScale';
  const choose = (scale: AxisScale) =>
    store.set(withAxes(state, { ...state.axes, [key]: scale === possible[0] ? null : scale }, schema));
  return (
    <>
      <MenuCaption>Scale</MenuCaption>
      {SCALES.map((scale) => (
        <MenuItem key={scale} checked={scale === now} onSelect={() => choose(scale)}>
          {scale === 'log' ? 'Logarithmic' : 'Linear'}
        </MenuItem>
      ))}
    </>
  );
}

async function ask(name: string): Promise<void> {
  const anchor = document.activeElement;
  (await import('../../../components/definition')).define(name, anchor);
}

export function AxisMenu({ at }: { at: Place }) {
  const { store, schema, view } = useExplorer();
  const helped = useContext(TooltipsEnabled);
  const factors = useFactors();
  const state = store.get();
  const { axes } = state;
  const chosen = factors.find((f) => f.name === axes[at]);
  const axis = at === 'facet' ? null : view.layout[at];
  const offered = at === 'facet' ? factors.filter((f) => f.levels > 1) : factors;
  const words = chosen?.label ?? (axis ? shortName(axis) : NONE);
  const put = (name: string) => store.set(withAxes(state, axesAfter(axes, at, name), schema));
  return (
    <Menu
      label={`${PLACES[at]}: ${words}`}
      className="axispick"
      align="start"
      trigger={
        <>
          <span>{words}</span>
          <Icon name="down" small />
        </>
      }
    >
      <MenuCaption>{PLACES[at]}</MenuCaption>
      {offered.map(({ name, label, note }) => (
        <MenuItem
          key={name}
          checked={name === axes[at]}
          note={note}
          {...(at !== 'x' && name === axes.x && axes.y === NONE
            ? { unavailable: 'already the x axis; choose another x first' }
            : {})}
          onSelect={() => put(name)}
        >
          {label}
        </MenuItem>
      ))}
      {(at !== 'x' || axes.x === NONE) && (
        <MenuItem checked={axes[at] === NONE} onSelect={() => put(NONE)}>
          None
        </MenuItem>
      )}
      {axis && at !== 'facet' && <ScaleItems at={at} axis={axis} />}
      {helped && axis && (
        <>
          <MenuCaption>Help</MenuCaption>
          <MenuItem onSelect={() => ask(axis.name)}>What is {words}?</MenuItem>
        </>
      )}
    </Menu>
  );
}
