// SPDX-License-Identifier: Apache-2.0
import type { DataSlice } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import type { ExperimentSubject } from '../../state/subject';
import { isRefusal, questionOf } from './question';

/**
 * What of the state the question depends on, as text: the crosshair counts only where traffic stands on an axis. It is asked for at
 * each change of the state and each render, and worked out where one of its parts has changed: of a slider's drag, none.
 */
export function keyOfQuestion(): (subject: ExperimentSubject, slice: DataSlice, state: ExplorerState) => string {
  let known: readonly unknown[] = [];
  let key = '';
  return (subject, slice, state) => {
    const parts = [subject, slice, state.axes, state.where, state.x, state.y, state.measure, state.advice];
    if (parts.some((part, i) => part !== known[i])) {
      known = parts;
      key = written(subject, slice, state);
    }
    return key;
  };
}

function written(subject: ExperimentSubject, slice: DataSlice, state: ExplorerState): string {
  const { open: _, interface: _i, driver: _d, kernel: _k, ...advice } = state.advice;
  const question = questionOf(subject, slice, state);
  return JSON.stringify([state.axes, state.where, advice, isRefusal(question) ? question.reason : question.asked]);
}
