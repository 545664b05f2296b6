// SPDX-License-Identifier: Apache-2.0
// What the explorer is opened on.
import type { Cell, Cells, Experiment } from '../api/types';
import type { BundledModel } from './models';
import type { Observed } from './observed';

/** An experiment with its cells. */
export interface ExperimentSubject {
  readonly of: 'experiment';
  readonly experiment: Experiment;
  readonly cells: readonly Cell[];
  /** By measure, what the sequence of the runs does to the cells' intervals. */
  readonly independence?: Cells['independence'];
  /** Runs that the cells are without. */
  readonly without?: readonly string[];
  /** The cells are of a file that was only opened: the server knows nothing of them. */
  readonly opened?: boolean;
  /** What a sweep is about to measure: cells without runs. */
  readonly planned?: readonly Cell[];
}

/** A model alone. */
export interface ModelSubject {
  readonly of: 'model';
  readonly model: BundledModel;
  /** The cells that it was fitted to. */
  readonly observed?: Observed;
}

export type Subject = ExperimentSubject | ModelSubject;

/** A sweep is still measuring: what the cells say, they say so far. */
export const isUnderWay = (subject: Subject): boolean => 'planned' in subject && !!subject.planned?.length;
