// SPDX-License-Identifier: Apache-2.0
import { useExperiments } from '../../api/queries';
import { Icon } from '../../components/Icon';
import { Menu, MenuItem } from '../../components/Menu';
import { Awaited } from './Awaited';
import { useExplorer } from './context';
import { partnersOf } from './partners';
import type { Other } from './useOther';

/** What this experiment is set against. Experiments without the measure have nothing to say. */
export function PartnerMenu({ other }: { other: Other }) {
  const { store, subject, view } = useExplorer();
  const all = useExperiments();
  const own = subject.of === 'experiment' ? subject.experiment.slug : '';
  const able = partnersOf(all.data ?? [], own, view.measure.name);
  const named = other.data?.experiment.title ?? other.slug;
  return (
    <Menu
      label="The experiment to compare with"
      align="start"
      className="quiet small boxed"
      trigger={
        <>
          {named ? `against ${named}` : 'Compare with'}
          <Icon name="down" small />
        </>
      }
      after={
        all.data && able.length === 0 ? (
          <p className="made">No other experiment here has this measure.</p>
        ) : (
          <Awaited experiments={all} />
        )
      }
    >
      {able.map(({ slug, title, kind }) => (
        <MenuItem
          key={slug}
          note={kind}
          checked={slug === other.slug}
          onSelect={() => store.update({ against: slug === other.slug ? null : slug })}
        >
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}
