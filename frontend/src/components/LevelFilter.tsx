// SPDX-License-Identifier: Apache-2.0
// Which levels of a factor are looked at: all, one, or several.
import type { FactorValue } from '../api/types';
import { goesAlone, knownIn, withToggled } from '../state/levels';
import { levelInWords } from './factorWords';
import { Icon } from './Icon';
import { Menu, MenuItem } from './Menu';
import { QuantityName } from './QuantityName';
import './LevelFilter.css';

/** More than these are counted, not named. */
const MOST_NAMED = 3;

function wordsOf(chosen: readonly FactorValue[], levels: readonly FactorValue[], unit: string): string {
  if (chosen.length === 0) return `all ${levels.length}`;
  if (chosen.length > MOST_NAMED) return `${chosen.length} of ${levels.length}`;
  return chosen.map(levelInWords).join(', ') + unit;
}

export function LevelFilter(props: {
  /** The factor. */
  name: string;
  label: string;
  unit?: string | undefined;
  levels: readonly FactorValue[];
  /** Levels joined by commas; '': all. */
  value: string;
  /** All together cannot be looked at. */
  notAll?: boolean;
  onChange: (value: string) => void;
}) {
  const { name, label, levels, value, notAll, onChange } = props;
  const unit = props.unit && props.unit !== '1' ? ` ${props.unit}` : '';
  const [chosen, missing] = value === '' ? [[], []] : knownIn(value, levels);
  const none = missing.length > 0 && `${missing.join()}: none has this`;
  const words = [(chosen.length > 0 || !none) && wordsOf(chosen, levels, unit), none].filter(Boolean).join('; ');
  return (
    <div className="field">
      <QuantityName name={name}>{label}</QuantityName>
      <Menu
        label={`${label}: ${words}`}
        className="levelfilter"
        align="start"
        trigger={
          <>
            <span>{words}</span>
            <Icon name="down" small />
          </>
        }
      >
        {!notAll && (
          <MenuItem several stay checked={value === ''} onSelect={() => onChange('')}>
            all {levels.length}
          </MenuItem>
        )}
        {levels.map((level) => (
          <MenuItem
            key={String(level)}
            several
            stay
            checked={chosen.includes(level)}
            note={goesAlone(level) ? 'alone, for its comma' : undefined}
            onSelect={() => onChange(withToggled(value, level, levels))}
          >
            {levelInWords(level)}
            {unit}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}
