// SPDX-License-Identifier: Apache-2.0
// What the tour says, and of what. A step whose part is not on the page is left out.

export interface Step {
  readonly title: string;
  readonly words: string;
  /** The part of the page that it is about. */
  readonly anchor: string;
  /** On which side of it the words stand, where there is room. */
  readonly side: 'left' | 'right' | 'below' | 'above';
}

export const STEPS: readonly Step[] = [
  {
    title: 'One crosshair through everything',
    words:
      'Press and drag in the picture, or use the arrow keys: the red needle picks a setting, and every number on the page follows it.',
    anchor: '.explorer .plot .hit',
    side: 'left',
  },
  {
    title: 'Every parameter with its interval',
    words:
      'Drag a needle along its ruler. The whisker is the 95 % interval of the fit and the square its estimate; a double click returns to it.',
    anchor: '.explorer .param',
    side: 'left',
  },
  {
    title: 'Pull the line itself',
    words: 'Drag the red ring up or down: the parameter with the most effect there follows.',
    anchor: '.explorer .grip',
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

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const GAP = 12;
const EDGE = 12;

/** Where the words stand beside their part: within the window, and on another side where there is no room. */
export function besideOf(
  part: Box,
  note: Pick<Box, 'width' | 'height'>,
  view: Pick<Box, 'width' | 'height'>,
  side: Step['side'],
): Pick<Box, 'left' | 'top'> {
  const within = (at: number, size: number, room: number): number => Math.max(EDGE, Math.min(at, room - size - EDGE));
  const middle = part.top + part.height / 2 - note.height / 2;
  const left = part.left - note.width - GAP;
  const right = part.left + part.width + GAP;
  const below = part.top + part.height + GAP;
  const above = part.top - note.height - GAP;
  const places: Readonly<Record<Step['side'], Pick<Box, 'left' | 'top'>>> = {
    left: { left, top: within(middle, note.height, view.height) },
    right: { left: right, top: within(middle, note.height, view.height) },
    below: { left: within(part.left, note.width, view.width), top: below },
    above: { left: within(part.left, note.width, view.width), top: above },
  };
  const fits = ({ left: x, top: y }: Pick<Box, 'left' | 'top'>): boolean =>
    x >= EDGE && y >= EDGE && x + note.width + EDGE <= view.width && y + note.height + EDGE <= view.height;
  const found = [places[side], places.right, places.below, places.above, places.left].find(fits);
  if (found) return found;
  const { left: x, top: y } = places[side];
  return { left: within(x, note.width, view.width), top: within(y, note.height, view.height) };
}
