// SPDX-License-Identifier: Apache-2.0

import { Icon } from '../../../components/Icon';
import { Menu, MenuItem } from '../../../components/Menu';
import { METHODS } from '../../../state/explorer';
import { useExplorer } from '../context';
import { METHOD } from './methods';

export function MethodMenu() {
  const { store, subject } = useExplorer();
  const { method, base } = store.get();
  const timed = subject.of === 'experiment' && subject.experiment.measures.some(({ name }) => name === 'elapsed_s');
  return (
    <Menu
      label={`Fit method: ${METHOD[method].label}${base ? ', with idle load' : ''}`}
      className="quiet small"
      trigger={
        <>
          {METHOD[method].label}
          {base && ' + idle load'}
          <Icon name="down" small />
        </>
      }
    >
      {METHODS.map((id) => (
        <MenuItem
          key={id}
          checked={id === method}
          note={METHOD[id].note}
          onSelect={() => store.update({ method: id, overrides: {} })}
        >
          {METHOD[id].label}
        </MenuItem>
      ))}
      <MenuItem
        several
        checked={base}
        note="what passes without traffic, per second: needs runs of different load"
        unavailable={timed || base ? undefined : 'the cells do not tell how long they took (elapsed_s)'}
        onSelect={() => store.update({ base: !base, overrides: {} })}
      >
        Idle load
      </MenuItem>
    </Menu>
  );
}
