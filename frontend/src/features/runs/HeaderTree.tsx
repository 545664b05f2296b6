// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from 'react';
import { type Branch, countOf, searched, treeOf } from './tree';
import './log.css';

function Branches({ branches, open }: { branches: readonly Branch[]; open: boolean }) {
  return (
    <ul className="tree">
      {branches.map((each, k) =>
        each.members.length > 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the header does not change
          <li key={`${k} ${each.name} ${open}`}>
            <details open={open}>
              <summary>
                {each.name} <small>{countOf(each.members)}</small>
              </summary>
              <Branches branches={each.members} open={open} />
            </details>
          </li>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <li key={`${k} ${each.name}`}>
            <span>{each.name}</span>
            <b>{each.text}</b>
          </li>
        ),
      )}
    </ul>
  );
}

/** The whole header of a log, folded; a search opens what it finds. */
export function HeaderTree({ header }: { header: Readonly<Record<string, unknown>> }) {
  const [search, setSearch] = useState('');
  const tree = useMemo(() => treeOf(header), [header]);
  const found = useMemo(() => searched(tree, search), [tree, search]);
  const asked = search.trim() !== '';
  return (
    <div className="header-tree">
      <label className="find">
        <span className="sr">Search the header</span>
        <input
          type="search"
          placeholder="Search names and values"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <p className="note" role="status">
        {asked ? `${countOf(found)} of ${countOf(tree)} values` : `${countOf(tree)} values`}
      </p>
      <Branches branches={found} open={asked} />
    </div>
  );
}
