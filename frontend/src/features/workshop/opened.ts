// SPDX-License-Identifier: Apache-2.0
// Texts that the editor can be opened with: of the catalogue, from a link, from a file.
import { catalogue } from '../../engine/catalogue';
import { sourceOf, TEMPLATE } from '../../engine/sources';
import { currentFragment } from '../../state/address';
import { GraphRefused } from '../../state/graph/graph';
import { fromFragment, LinkRefused, LONGEST_SOURCE } from '../../state/sourceLink';
import { currentQuery } from '../../state/url';
import { parseDocument, readDocument, type UserDocument } from '../../state/userModel';

/** Where the text in the editor is from. */
export type Origin =
  | { readonly from: 'template' }
  | { readonly from: 'catalogue'; readonly model: string; readonly title: string; readonly file: string; line: number }
  | { readonly from: 'link' }
  | { readonly from: 'file' | 'graph'; readonly name: string };

export interface Opened {
  readonly origin: Origin;
  readonly text: string;
  /** Traced before: for texts of this project's own, and for graphs. */
  readonly document: UserDocument | null;
  readonly problem: string | null;
}

const chosenModel = (): string | null => new URLSearchParams(currentQuery()).get('model');

async function fromCatalogue(id: string | null, problem: string | null): Promise<Opened> {
  const found = await sourceOf(id ?? TEMPLATE);
  if (!found) return fromCatalogue(null, `There is no model named ${id?.slice(0, 64)}: this is the template.`);
  const { text, file, line } = found;
  const origin: Origin =
    id && file !== null && line !== null
      ? { from: 'catalogue', model: id, title: catalogue.models.find((m) => m.id === id)?.title ?? id, file, line }
      : { from: 'template' };
  return { origin, text, document: readDocument(found.document), problem };
}

/** What the address names: a text, a model of the catalogue, or nothing. */
export async function fromAddress(): Promise<Opened> {
  try {
    const text = await fromFragment(currentFragment());
    if (text !== null) return { origin: { from: 'link' }, text, document: null, problem: null };
  } catch (error) {
    if (!(error instanceof LinkRefused)) throw error;
    return fromCatalogue(chosenModel(), `The text in this link cannot be read: ${error.message}.`);
  }
  return fromCatalogue(chosenModel(), null);
}

export async function fromFile(file: File): Promise<Opened> {
  const { name } = file;
  if (file.size > 1_000_000) throw new GraphRefused(`${name} is larger than a million bytes`);
  const text = await file.text();
  if (name.endsWith('.json')) {
    const document = parseDocument(text);
    const note = `# ${name.replace(/[^\w. -]/g, '_')}: a traced model. It is data, and came without its Python.\n`;
    return { origin: { from: 'graph', name }, text: note, document, problem: null };
  }
  if (text.length > LONGEST_SOURCE) throw new GraphRefused(`${name} is longer than ${LONGEST_SOURCE} characters`);
  return { origin: { from: 'file', name }, text, document: null, problem: null };
}
