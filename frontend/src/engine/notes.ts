// SPDX-License-Identifier: Apache-2.0
// What the built-in models say of themselves besides their summaries. The first view does without: only what comes later reads it.
import notes from 'virtual:notes';
import type { BundledModel, Notes } from '../state/models';

/** Of a model of the reader's own there is nothing. */
export const notesOf = ({ id }: BundledModel): Notes => notes[id] ?? { notes: [], citation: '' };
