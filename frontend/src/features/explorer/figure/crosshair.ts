// SPDX-License-Identifier: Apache-2.0
// The crosshair, and the values it reads off.
import { dodge } from '../../../plots/dodge';
import { worded } from '../../../plots/number';
import {
  circle,
  END,
  HALO,
  LETTER_PX,
  LIVE,
  line,
  MIDDLE,
  moving,
  path,
  rect,
  type Shape,
  TEXT,
} from '../../../plots/shapes';
import type { View } from '../../../state/view';
import { type Frame, longestName, tickWords } from './frame';
import { aside, namedOf, seriesName } from './lines';
import type { FrameData } from './live';
import { cutShort, namedSetting, settingWords, upwardTitle } from './messages';

const hair = (x1: number, y1: number, x2: number, y2: number): Shape[] => [
  line(x1, y1, x2, y2, { stroke: 'var(--on-dark)', 'stroke-width': 3, 'stroke-opacity': 0.35 }),
  line(x1, y1, x2, y2, { stroke: 'var(--crosshair)', 'stroke-width': 1.25 }),
];

export interface Spot {
  readonly X: number;
  readonly Y: number | null;
}

export function spotOf(view: View, frame: Frame, live: FrameData): Spot {
  const at = view.layout.across === 'x' ? live.state.x : live.state.y;
  return {
    X: frame.x(at ?? frame.across.levels[0]),
    Y: frame.y && live.state.y !== null ? frame.y(live.state.y) : null,
  };
}

/** Through the lower plot; `from` the upper one down where that hair goes on. */
export function hairBelow({ heat, lines }: Frame, { X }: Spot, joined = true): Shape {
  return line(X, heat && joined ? heat.top + heat.height : lines.top, X, lines.top + lines.height, {
    stroke: 'var(--crosshair)',
    'stroke-width': 1.25,
  });
}

/** Across the upper plot. */
export function hairsAbove({ heat, left, plotWidth }: Frame, { X, Y }: Spot): Shape[] {
  if (!heat) return [];
  const down = hair(X, heat.top, X, heat.top + heat.height);
  return Y === null ? down : [...down, ...hair(left, Y, left + plotWidth, Y)];
}

/** Under the cells. */
export const hairs = (frame: Frame, spot: Spot): Shape[] => [...hairsAbove(frame, spot), hairBelow(frame, spot)];

/** Round the setting on the upper plot. */
export function ring({ X, Y }: Spot): Shape[] {
  if (Y === null) return [];
  return [
    circle(X, Y, 11, { fill: 'none', stroke: 'var(--on-dark)', 'stroke-width': 4, 'stroke-opacity': 0.75 }),
    circle(X, Y, 11, { fill: 'none', stroke: 'var(--crosshair)', 'stroke-width': 2 }),
  ];
}

interface Tag {
  readonly value: number;
  readonly ink: string;
  readonly text: string;
  readonly live: boolean;
  /** Of its dot, from the crosshair. */
  readonly aside: number;
}

function tagsOf(view: View, frame: Frame, live: FrameData): Tag[] {
  const digits = frame.valueDigits;
  const labelled = !frame.heat && live.curves.length > 1;
  const all = live.curves.flatMap((c) => c.series ?? []);
  const tags = live.curves.flatMap(({ series, at }): Tag[] => {
    if (!series || !Number.isFinite(at)) return [];
    const mine = frame.heat ? series.y === live.state.y : series.chosen;
    const name = labelled ? `${cutShort(seriesName(series, false, view), longestName(frame.phone))} ` : '';
    const text = name + worded(at, digits, view.measure.meanings);
    return [{ value: at, ink: series.ink, text, live: mine, aside: aside(view, frame, series, all) }];
  });
  if (frame.heat && !tags.some((t) => t.live) && Number.isFinite(live.place.value))
    tags.push({
      value: live.place.value,
      ink: 'var(--crosshair)',
      text: worded(live.place.value, digits, view.measure.meanings),
      live: true,
      aside: 0,
    });
  return tags;
}

/** One value for each line, beside the colour bar that is its axis. */
export function valueTags(view: View, frame: Frame, live: FrameData): Shape[] {
  const { X } = spotOf(view, frame, live);
  const all = tagsOf(view, frame, live);
  const tags = namedOf(all, frame, (t) => t.live);
  const { lines } = frame;
  const clamp = (y: number): number => Math.max(lines.top, Math.min(lines.top + lines.height, y));
  const ys = tags.map((t) => clamp(frame.v(t.value)));
  const spread = dodge(ys, 13, lines.top - 4, lines.top + lines.height);
  const bar = frame.left + frame.plotWidth + 10;
  const tail = frame.heat ? bar + 8 : frame.left + frame.plotWidth;
  const inkOf = (t: Tag): string => (t.live ? 'var(--crosshair)' : t.ink);
  const dotOf = (t: Tag): Shape[] => {
    const Y = frame.v(t.value);
    const dot = { fill: inkOf(t), stroke: 'var(--ground)', 'stroke-width': 1.5 };
    return Y === clamp(Y) ? [circle(X + t.aside, Y, 3, dot)] : [];
  };
  const values = tags.flatMap((t, i): Shape[] => {
    const ink = inkOf(t);
    const weight = t.live ? 600 : 500;
    return [
      ...dotOf(t),
      path(`M${tail} ${ys[i].toFixed(1)}h3L${tail + 7} ${spread[i].toFixed(1)}`, { stroke: ink }),
      moving(tail + 10, spread[i], t.text, {
        dy: '0.34em',
        'font-size': TEXT.label,
        'font-weight': weight,
        fill: t.live ? 'var(--crosshair-ink)' : t.ink,
      }),
    ];
  });
  return [...all.filter((t) => !tags.includes(t)).flatMap(dotOf), ...values];
}

/** Above everything: ring, setting in words, values. `upper`: what the figure above has instead of the ring. */
export function crosshair(
  view: View,
  frame: Frame,
  live: FrameData,
  upper: readonly Shape[] | null = null,
  values: readonly Shape[] = valueTags(view, frame, live),
): Shape[] {
  const spot = spotOf(view, frame, live);
  const { X, Y } = spot;
  const { heat, lines, left, plotWidth } = frame;
  const { y } = view.layout;
  const out: Shape[] = [...(upper ?? ring(spot))];
  const at = view.layout.across === 'x' ? live.state.x : live.state.y;
  const aside = view.figure === '3d' && heat !== null;
  const row = aside && view.layout.y && live.state.y !== null ? `${namedSetting(view.layout.y, live.state.y)}, ` : '';
  const words = row + (at === null ? '' : settingWords(frame.across, at));
  const half = (words.length * LETTER_PX.name) / 2;
  // beside the axis title, never on it; seen from aside, no place of the upper plot is above the setting
  const title = heat && y ? 6 + 6 * upwardTitle(y, frame.phone).length : left;
  const place = aside ? left + plotWidth - half : Math.max(title + half + 8, Math.min(left + plotWidth - half, X));
  // a phone has no room beside the title, and says it at its lower edge
  const said = aside && frame.phone ? '' : words;
  out.push(
    moving(place, (heat ?? lines).top - (heat ? 12 : 0) - (heat ? 0 : 1), said, {
      ...MIDDLE,
      ...LIVE,
      ...(heat ? {} : HALO),
    }),
  );
  out.push(...values);
  // seen from aside, rows have no height of their own
  if (!aside && Y !== null && live.state.y !== null) {
    out.push(rect(2, Y - 9, left - 7, 18, { fill: 'var(--ground)', rx: 2 }));
    out.push(
      moving(left - 8, Y, y ? tickWords(y, live.state.y) : '', {
        dy: '0.34em',
        ...END,
        ...LIVE,
      }),
    );
  }
  return out;
}
