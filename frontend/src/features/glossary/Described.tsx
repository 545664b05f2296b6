// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { definitionOf } from '../../engine/definitions';

/** A description: names in backticks lead to their own place in the glossary. */
export function Described({ children }: { children: string }) {
  return children.split('`').map((part, i) => {
    if (i % 2 === 0) return part;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
    const name = <code key={i}>{part}</code>;
    return definitionOf(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Link key={i} href={`/glossary#${part}`}>
        {name}
      </Link>
    ) : (
      name
    );
  });
}
