// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { Icon } from '../../components/Icon';
import { FileRow } from './FileRow';
import { isCsv } from './files';
import type { Item } from './queue';
import { uploads } from './session';
import { type Group, groupsOf, size } from './tally';

/** How many of a group stand on the page before it is folded; what needs the reader is never folded. */
const SHOWN: Partial<Record<Group['name'], number>> = { stored: 3, waiting: 3, remarked: 6 };
const WORDS: Partial<Record<Group['name'], string>> = { stored: 'on disk', waiting: 'waiting', remarked: 'on disk' };

function Rest({ group, items, onShow }: { group: Group['name']; items: readonly Item[]; onShow: () => void }) {
  const bytes = items.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <li className={group === 'waiting' ? 'wait' : undefined}>
      <Icon name={group === 'waiting' ? 'wait' : 'ok'} className={group === 'waiting' ? 'waiting' : 'ok'} />
      <div>
        <b>{items.length} more</b>{' '}
        <button type="button" className="inline" onClick={onShow}>
          show
        </button>
      </div>
      <span className="size">{size(bytes)}</span>
      <span className="st">{WORDS[group]}</span>
    </li>
  );
}

/** Newest first among those on disk, in the order of sending among those that wait. */
function inOrder({ name, items }: Group): Item[] {
  return name === 'stored' || name === 'remarked' ? [...items].reverse() : items;
}

export function FileList({ items, onDirect }: { items: readonly Item[]; onDirect: () => void }) {
  const [open, setOpen] = useState<ReadonlySet<Group['name']>>(new Set());
  return (
    <ul className="filelist">
      {groupsOf(items).flatMap((group) => {
        const ordered = inOrder(group);
        const most = open.has(group.name) ? ordered.length : (SHOWN[group.name] ?? ordered.length);
        // a single further row takes no more room than "1 more"
        const shown = ordered.length <= most + 1 ? ordered : ordered.slice(0, most);
        const rest = ordered.slice(shown.length);
        return [
          ...shown.map((item) => (
            <FileRow
              key={item.key}
              item={item}
              onReplace={async (file) => uploads.replace(item.key, file, await isCsv(file))}
              onAgain={() => uploads.again(item.key)}
              onLeaveOut={() => uploads.leaveOut(item.key)}
              onDirect={() => {
                uploads.hold(item.key);
                onDirect();
              }}
            />
          )),
          rest.length > 0 && (
            <Rest
              key={group.name}
              group={group.name}
              items={rest}
              onShow={() => setOpen(new Set([...open, group.name]))}
            />
          ),
        ];
      })}
    </ul>
  );
}
