// SPDX-License-Identifier: Apache-2.0
// What the server says of a fit, with the names that the page has. No DOM.
import { inSentence, shortLabel } from '../../../components/factorWords';
import type { Layout } from '../../../state/layout';
import { levelWords } from '../figure/messages';
import { METHOD } from './methods';

const GREEK: Readonly<Record<string, string>> = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', theta: 'θ' };

const A_NAME = /(?<![\w.])[a-z][a-z0-9_]*(?:[.-][a-z0-9_]+)*/g;

/** "delay_ticks 20 … alpha is 0.3 by ols" as "delay 20 … α is 0.3 by least squares". */
export function inPageWords(
  message: string,
  parameters: readonly { readonly name: string; readonly label: string }[],
  { x, y, choices }: Layout,
): string {
  const words = new Map<string, string>();
  for (const [id, { label }] of Object.entries(METHOD)) words.set(id, id === 'paper-tls' ? label : inSentence(label));
  for (const { name, label } of parameters) words.set(name, GREEK[name] ?? inSentence(label));
  let said = message;
  for (const axis of [x, y, ...choices]) {
    if (!axis) continue;
    words.set(axis.name, axis.name === 'mtu_bytes' ? 'MTU' : shortLabel(axis.name, axis.label));
    // a level is one only behind its factor: it may be a word of the sentence as well
    for (const level of axis.levels)
      if (typeof level === 'string')
        said = said.replaceAll(`${axis.name} ${level}`, `${axis.name} ${levelWords(level)}`);
  }
  return said.replace(A_NAME, (name) => words.get(name) ?? name);
}
