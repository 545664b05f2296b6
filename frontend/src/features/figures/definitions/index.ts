// SPDX-License-Identifier: Apache-2.0
// Every figure of the five documents. The only list of figures.
import type { Document, Figure } from '../definition';
import { chase } from './chase';
import { geist } from './geist';
import { dillon, ronciak } from './others';
import { zec } from './zec';

export const DOCUMENTS: readonly Document[] = [geist, zec, chase, ronciak, dillon];
export const FIGURES: readonly Figure[] = DOCUMENTS.flatMap((d) => d.figures);

export const figureById = (id: string): Figure | undefined => FIGURES.find((f) => f.id === id);

export function documentOf(figure: Figure): Document {
  const found = DOCUMENTS.find((d) => d.id === figure.document);
  if (!found) throw new Error(`${figure.id} belongs to no document`);
  return found;
}
