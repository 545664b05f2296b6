// SPDX-License-Identifier: Apache-2.0
import { raise, raisedWords } from '../plots/shapes';

/**
 * "per 10⁹ bytes": raised digits are drawn by the style sheet, because the page's font has few of them. The text itself has the
 * raised characters: whoever hears, copies or searches it meets 10⁹, not 109.
 */
export function Rich({ children }: { children: string }) {
  return raise(children).map((span, i) => {
    const { text, up } = span;
    const drawn = up ? { className: 'raised', 'data-up': text } : {};
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
      <span key={i} {...drawn}>
        {up ? <span>{raisedWords([span])}</span> : text}
      </span>
    );
  });
}
