// SPDX-License-Identifier: Apache-2.0
import { raise } from '../plots/shapes';

/** "per 10⁹ bytes": raised digits as <sup>, for the page's font draws few of them itself. */
export function Rich({ children }: { children: string }) {
  return raise(children).map((span, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
    span.up ? <sup key={i}>{span.text}</sup> : <span key={i}>{span.text}</span>,
  );
}
