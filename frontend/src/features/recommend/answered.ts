// SPDX-License-Identifier: Apache-2.0
import type { Recommendation } from '../../api/types';
import type { DataSlice } from '../../state/dataSlice';
import type { Question } from './question';

/** A question with its answer: while the next is on its way, both stay. */
export interface Answered {
  readonly question: Question;
  readonly answer: Recommendation;
  readonly slice: DataSlice;
}
