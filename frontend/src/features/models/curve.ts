// SPDX-License-Identifier: Apache-2.0
// What a model predicts over the axis that it opens with, for a few settings of the other, with its parameters as they start.
import { catalogue } from '../../engine/catalogue';
import { slicesOf } from '../../state/dataSlice';
import { fromQuery } from '../../state/link';
import type { BundledModel } from '../../state/models';
import { prepare } from '../../state/prediction';
import type { Subject } from '../../state/subject';
import { viewOf } from '../../state/view';
import { schemaOf } from '../../state/viewSchema';
import { axisTitle, namedSetting, settingText, titleWithUnit } from '../explorer/figure/messages';
import type { Axis, Line, LinesPanel } from '../figures/definition';
import { type Resolved, type Series, samplesOf } from '../figures/resolve';

const SAMPLES = 241;

/** The ends and the middle. */
const few = (levels: readonly number[]): readonly number[] =>
  levels.length > 3 ? [levels[0], levels[(levels.length - 1) >> 1], levels[levels.length - 1]] : levels;

/** Which rows are a line of their own; each with the later ones that would lie on it. */
function apart(rows: readonly Float64Array[]): number[][] {
  const found: number[][] = [];
  rows.forEach((row, j) => {
    const same = found.find(([k]) =>
      row.every((v, i) => Object.is(v, rows[k][i]) || Math.abs(v - rows[k][i]) <= 1e-9 * Math.abs(v)),
    );
    if (same) same.push(j);
    else found.push([j]);
  });
  return found;
}

/** From zero, unless that would leave half of the picture empty. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  const known = values.filter(Number.isFinite);
  const [lo, hi] = [Math.min(...known), Math.max(...known)];
  const from = lo >= 0 && lo < hi / 2 ? 0 : lo;
  const room = (hi - from || Math.abs(hi) || 1) * 0.05;
  return [from === 0 ? 0 : from - room, hi + room];
}

export interface ModelCurve {
  readonly panel: LinesPanel;
  readonly resolved: Resolved;
}

/** Null of a model that has nothing to be drawn over. */
export function curveOf(model: BundledModel): ModelCurve | null {
  const subject: Subject = { of: 'model', model };
  const slices = slicesOf(subject, catalogue);
  const { state } = fromQuery('', schemaOf(subject, slices));
  const { layout, binding, start, measure, xBounds, yBounds, valueSpacing } = viewOf(
    subject,
    slices,
    state,
    null,
    false,
  );
  const across = layout.x ?? layout.y;
  if (!across || !binding) return null;
  // an axis that is alone may be the upward one
  const upward = across === layout.y;
  const other = upward ? null : layout.y;
  const x: Axis = {
    label: axisTitle({ ...across, spacing: 'linear' }),
    unit: '',
    spacing: across.spacing === 'linear' ? 'linear' : 'log',
    domain: upward ? yBounds : xBounds,
  };
  const xs = samplesOf(x, SAMPLES);
  const settings = few(other?.levels ?? []);
  const rows = settings.length > 0 ? settings : [0];
  const prepared = upward ? prepare(binding, [0], xs, state.frames) : prepare(binding, xs, rows, state.frames);
  const values = prepared.evaluate(binding.output, start);
  const tones = settings.length === 2 ? ([1, 5] as const) : ([1, 3, 5] as const);
  const drawn = apart(settings.map((_, j) => values.subarray(j * SAMPLES, (j + 1) * SAMPLES)));
  const lines: readonly Line[] =
    other && settings.length > 0
      ? drawn.map(([j, ...alike]) => ({
          id: String(settings[j]),
          label: [namedSetting(other, settings[j]), ...alike.map((k) => settingText(other, settings[k]))].join(', '),
          tone: tones[j],
        }))
      : [{ id: '', label: '', tone: 3 }];
  const y: Axis = {
    label: titleWithUnit(measure),
    unit: '',
    spacing: valueSpacing,
    domain: valueSpacing === 'log' ? [Math.min(...values), Math.max(...values)] : rangeOf([...values]),
  };
  const series = lines.map(
    (line, j): Series => ({
      kind: 'model',
      line,
      spots: xs.map((at, i) => ({ x: at, y: values[(drawn[j]?.[0] ?? 0) * SAMPLES + i], half: null })),
      joined: true,
      second: null,
      at: null,
    }),
  );
  return { panel: { form: 'lines', x, y, lines, sources: [] }, resolved: { series, statements: [] } };
}
