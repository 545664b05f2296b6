// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { currentCopy } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useSaid } from '../../components/copy';
import { Icon } from '../../components/Icon';
import { Menu, MenuCaption, MenuItem } from '../../components/Menu';
import { useOffered } from './figureExport';
import type { Format } from './handOut';
import './share.css';

/** Takes figure and data out of the page. What a page does not offer stays in the list, with the reason. */
export function ExportMenu() {
  const figure = useOffered();
  const [said, say] = useSaid();
  const [failed, setFailed] = useState<string | null>(null);
  const nothing = (has: boolean | undefined, what: string) =>
    has ? undefined : figure ? `this page has no ${what}` : 'open an experiment first';

  async function choose(format: Format) {
    if (!figure) return;
    try {
      setFailed(null);
      await (await import('./handOut')).handOut(figure, format);
      say('Saved');
    } catch (error) {
      setFailed(reasonOf(error));
      say('Not saved');
    }
  }

  return (
    <>
      <Menu
        label="Export"
        after={failed && <p className="made bad">Not saved: {failed}</p>}
        trigger={
          <>
            <Icon name={said === 'Saved' ? 'ok' : 'export'} />
            <span>{said ?? 'Export'}</span>
            <Icon name="down" small />
          </>
        }
      >
        <MenuCaption>Figure</MenuCaption>
        <MenuItem
          note="vector, with its caption"
          unavailable={nothing(!!figure?.svg, 'figure')}
          onSelect={() => choose('svg')}
        >
          SVG
        </MenuItem>
        <MenuItem
          note="twice the screen’s pixels"
          unavailable={nothing(!!figure?.svg, 'figure')}
          onSelect={() => choose('png')}
        >
          PNG
        </MenuItem>
        <MenuCaption>Data</MenuCaption>
        <MenuItem
          note={figure?.csv ? 'what the figure shows' : 'cells, units in the header'}
          unavailable={nothing(!!(figure?.csv ?? figure?.csvHref), 'data')}
          onSelect={() => choose('csv')}
        >
          CSV
        </MenuItem>
        <MenuItem
          note={figure?.json ? 'what the figure shows, source' : 'cells, intervals, source'}
          unavailable={
            currentCopy()?.of === 'file' && !figure?.json
              ? 'the original has it'
              : nothing(!!(figure?.json ?? figure?.jsonHref), 'data')
          }
          onSelect={() => choose('json')}
        >
          JSON
        </MenuItem>
        <MenuCaption>View</MenuCaption>
        <MenuItem
          note="2 MB, works without a network"
          unavailable={
            currentCopy()?.of === 'file' ? 'this page is one' : nothing(!!figure?.offline, 'view that fits in a file')
          }
          onSelect={() => choose('html')}
        >
          Offline page, one file
        </MenuItem>
      </Menu>
      <span className="sr" role="status">
        {said === 'Not saved' ? `Not saved: ${failed ?? ''}` : said}
      </span>
    </>
  );
}
