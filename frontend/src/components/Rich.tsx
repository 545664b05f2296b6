// SPDX-License-Identifier: Apache-2.0
import { raise } from '../plots/shapes';

/** "per 10⁹ bytes": raised digits as <sup>, because the page's font has few of them. */
export function Rich({ children }: { children: string }) {
  return raise(children).map((span, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
    span.up ? <sup key={i}>{span.text}</sup> : <span key={i}>{span.text}</span>,
  );
}
