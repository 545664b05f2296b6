// SPDX-License-Identifier: Apache-2.0
// What the tour says, and of what. A step whose part is not on the page is left out.

export interface Step {
  readonly title: string;
  readonly words: string;
  /** The part of the page that it is about. */
  readonly anchor: string;
  /** The parts that its words leave uncovered besides: they speak of them, too. */
  readonly clear?: string;
  /** On which side of it the words stand, where there is room. */
  readonly side: 'left' | 'right' | 'below' | 'above';
}

export const STEPS: readonly Step[] = [
  {
    title: 'One crosshair through everything',
    words:
      'Press and drag in the picture, or use the arrow keys: the red crosshair picks a setting, and every number on the page follows it.',
    anchor: '.explorer .plot .hit',
    clear: '.explorer .duet, .rail .opts, .explorer .live, .explorer .now',
    side: 'left',
  },
  {
    title: 'Every parameter with its interval',
    words:
      'Drag a crosshair along its ruler. The whisker is the 95 % interval of the fit and the square its estimate; a double click returns to it.',
    anchor: '.explorer .param',
    clear: '.explorer .params',
    side: 'left',
  },
  {
    title: 'Pull the line itself',
    words: 'Drag the red ring up or down: the parameter with the most effect there follows.',
    anchor: '.explorer .handle',
    clear: '.explorer .duet, .explorer .params',
    side: 'left',
  },
  {
    title: 'What to set',
    words:
      'Choose a goal and limits: the answer is a setting, what it gains and costs, and the commands for your driver.',
    anchor: '.explorer .advice',
    side: 'below',
  },
  {
    title: 'The address is the view',
    words:
      'Every change is kept in the address. Share copies it, in full or as a short link; whoever opens it sees the same.',
    anchor: '.bar .tools',
    side: 'below',
  },
];

/** Whatever a step is about: the answer with its guards and its caution is never under its words. */
export const ANSWER = '.explorer .advice';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const GAP = 12;
const EDGE = 12;

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));

type Size = Pick<Box, 'width' | 'height'>;
type Spot = Pick<Box, 'left' | 'top'>;

/** Beside a part, on each of its sides, as near as that is to another, moved into the window. */
function sidesOf(part: Box, note: Size, view: Size, near: Box = part): Readonly<Record<Step['side'], Spot>> {
  const within = (at: number, size: number, room: number): number => Math.max(EDGE, Math.min(at, room - size - EDGE));
  const left = within(near.left, note.width, view.width);
  const top = within(near.top + near.height / 2 - note.height / 2, note.height, view.height);
  return {
    left: { left: within(part.left - note.width - GAP, note.width, view.width), top },
    right: { left: within(part.left + part.width + GAP, note.width, view.width), top },
    below: { left, top: within(part.top + part.height + GAP, note.height, view.height) },
    above: { left, top: within(part.top - note.height - GAP, note.height, view.height) },
  };
}

/**
 * Where the words stand: on their side of the part, on another where they would cover it or what they speak of besides, and
 * where there is no room beside these, where they cover the least.
 */
export function besideOf(part: Box, note: Size, view: Size, side: Step['side'], clear: readonly Box[] = []): Spot {
  const spots = [part, ...clear].flatMap((each) =>
    [sidesOf(each, note, view, part), sidesOf(each, note, view)].flatMap((sides) => [
      sides[side],
      sides.right,
      sides.below,
      sides.above,
      sides.left,
    ]),
  );
  const covered = (spot: Spot): number => {
    const words = { ...spot, ...note };
    // the part itself matters most
    return clear.reduce((sum, each) => sum + overlap(words, each), 4 * overlap(words, part));
  };
  return spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best));
}
