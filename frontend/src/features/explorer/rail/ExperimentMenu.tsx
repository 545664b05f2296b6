// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useExperiments } from '../../../api/queries';
import type { Experiment } from '../../../api/types';
import { Icon } from '../../../components/Icon';
import { Menu, MenuItem } from '../../../components/Menu';
import { Awaited } from '../Awaited';

export function ExperimentMenu({ experiment }: { experiment: Experiment }) {
  // the list can wait: the server is to answer the cells and the fit first
  const [wanted, setWanted] = useState(false);
  const [, go] = useLocation();
  const all = useExperiments(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), 1500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Menu
      label={`Experiment: ${experiment.title}`}
      onOpen={() => setWanted(true)}
      align="start"
      className="pick"
      heading="h1"
      after={<Awaited experiments={all} />}
      trigger={
        <>
          <span>{experiment.title}</span>
          <Icon name="down" small />
        </>
      }
    >
      {(all.data ?? []).map(({ slug, title, kind }) => (
        <MenuItem key={slug} note={kind} checked={slug === experiment.slug} onSelect={() => go(`/explorer/${slug}`)}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}
