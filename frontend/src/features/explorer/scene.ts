// SPDX-License-Identifier: Apache-2.0
// What a frame shows: the picture draws it, and the hand takes hold of it.
import type { Isoline } from '../../plots/contours';
import type { View } from '../../state/view';
import type { Frame } from './figure/frame';
import type { FrameData, Sampler } from './figure/live';
import type { MainChart } from './figure/mainChart';

export interface Scene {
  readonly view: View;
  readonly frame: Frame;
  readonly sampler: Sampler;
  readonly live: FrameData;
  readonly isolines: readonly Isoline[];
  /** Where along the lines their names stand. */
  readonly namesAt: number;
  /** What stands above the lines instead of the surface in colour; null while its drawing is on the way. */
  readonly upper?: MainChart | null;
}
