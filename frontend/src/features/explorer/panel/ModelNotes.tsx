// SPDX-License-Identifier: Apache-2.0
// What a model says of itself, and where it is from.
import { Rich } from '../../../components/Rich';
import { notesOf } from '../../../engine/notes';
import type { BundledModel } from '../../../state/models';

export default function ModelNotes({ model }: { model: BundledModel }) {
  const { notes, citation } = notesOf(model);
  return [model.summary, ...notes, citation].map((note) => (
    <p className="note" key={note}>
      <Rich>{note}</Rich>
    </p>
  ));
}
