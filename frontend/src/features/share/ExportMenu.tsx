// SPDX-License-Identifier: Apache-2.0
import { Icon } from '../../components/Icon';
import { Menu, MenuCaption, MenuItem } from '../../components/Menu';
import { useOffered } from './figureExport';

export function ExportMenu() {
  const figure = useOffered();
  const none = figure ? undefined : 'nothing to export on this page';
  return (
    <Menu
      label="Export"
      trigger={
        <>
          <Icon name="export" />
          <span>Export</span>
          <Icon name="down" small />
        </>
      }
    >
      <MenuCaption>Figure</MenuCaption>
      <MenuItem unavailable={none} onSelect={() => undefined}>
        SVG
      </MenuItem>
    </Menu>
  );
}
