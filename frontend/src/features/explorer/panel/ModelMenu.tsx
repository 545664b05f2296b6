// SPDX-License-Identifier: Apache-2.0

import { Icon } from '../../../components/Icon';
import { Menu, MenuItem } from '../../../components/Menu';
import { NO_MODEL } from '../../../state/explorer';
import { useExplorer } from '../context';

export function ModelMenu({ current }: { current: string }) {
  const { view, store, subject } = useExplorer();
  if (subject.of === 'model') return null;
  const models = view.slice.models(view.measure.name);
  const unbound = view.slice.unbound(view.measure.name);
  if (models.length < 2) return null;
  const title = (id: string) =>
    id === NO_MODEL ? 'No model' : (view.models.find((b) => b.model.id === id)?.model.title ?? id);
  return (
    <Menu
      label="Change the model"
      className="quiet small"
      trigger={
        <>
          Change
          <Icon name="down" small />
        </>
      }
    >
      {models.map(({ id }, i) => (
        <MenuItem
          key={id}
          checked={id === current}
          note={
            id === NO_MODEL
              ? 'interpolated between the cells'
              : view.models.find((b) => b.model.id === id)?.model.summary
          }
          onSelect={() =>
            store.update({
              model: i === 0 && view.turnedDown?.model.id !== id ? null : id,
              overrides: {},
              pins: [],
              surface: 'model',
            })
          }
        >
          {title(id)}
        </MenuItem>
      ))}
      {unbound.map(({ model, reason }) => (
        <MenuItem key={model.id} unavailable={reason} onSelect={() => {}}>
          {model.title}
        </MenuItem>
      ))}
    </Menu>
  );
}
