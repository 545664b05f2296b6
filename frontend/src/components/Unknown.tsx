// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';

/** The page at the address of something that is not there: what was asked for, and where the others are. */
export function Unknown({ what, name, all }: { what: string; name: string; all: string }) {
  return (
    <div className="page">
      <header className="lede">
        <h1>No such {what}</h1>
        <p>
          There is no {what} named <code>{name}</code>. <Link href={all}>All {what}s</Link>
        </p>
      </header>
    </div>
  );
}
