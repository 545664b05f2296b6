// SPDX-License-Identifier: Apache-2.0

import { Icon } from '../../../components/Icon';
import { Menu, MenuItem } from '../../../components/Menu';
import { METHODS, type Method } from '../../../state/explorer';
import { useExplorer } from '../context';

const METHOD: Readonly<Record<Method, { readonly label: string; readonly note: string }>> = {
  ols: { label: 'Least squares', note: 'all runs, in percent of their cell; the same in any units' },
  'ols-hc3': { label: 'Least squares, HC3', note: 'standard errors that hold where variances differ; no resamples' },
  wls: { label: 'Weighted', note: 'least squares, by how the spread of replicates goes with the response' },
  robust: { label: 'Robust', note: 'runs that do not belong with the others of their cell do not move it' },
  whitened: { label: 'Whitened', note: 'for counts that err; a model that replicates reject distorts it most' },
  'paper-tls': {
    label: 'Paper TLS',
    note: 'Geist et al. 2005; its result depends on the units of the counts: 10⁶ bytes, thousands',
  },
};

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
          onSelect={() => store.update({ method: id, byHand: {} })}
        >
          {METHOD[id].label}
        </MenuItem>
      ))}
      <MenuItem
        several
        checked={base}
        note="what passes without traffic, per second: needs runs of different load"
        unavailable={timed || base ? undefined : 'the cells do not tell how long they took (elapsed_s)'}
        onSelect={() => store.update({ base: !base, byHand: {} })}
      >
        Idle load
      </MenuItem>
    </Menu>
  );
}
