// SPDX-License-Identifier: Apache-2.0
// Sliders that are rulers, in three groups: what comes, what the interface does, what the host pays.
import { Section } from '../../components/Section';
import { Segmented } from '../../components/Segmented';
import { catalogue } from '../../engine/catalogue';
import { decimal } from '../../plots/number';
import { type Group, idle, slidersOf } from './controls';
import { Ruler } from './Ruler';
import { MODERATION, type Parameters, type Spacing } from './simulation/parameters';

interface Props {
  readonly parameters: Parameters;
  onChange(change: Partial<Parameters>): void;
}

const SPACING_WORDS: readonly { value: Spacing; label: string }[] = [
  { value: 'even', label: 'evenly' },
  { value: 'random', label: 'at random' },
  { value: 'bursts', label: 'in bursts' },
];

function Moderation({ parameters, onChange }: Props) {
  const { moderation_kind: kind } = parameters;
  const meanings = catalogue.quantities.find((q) => q.name === 'moderation_kind')?.meanings ?? [];
  return (
    <>
      <label className="field">
        <span data-quantity="moderation_kind">Moderation</span>
        <select value={kind} onChange={(event) => onChange({ moderation_kind: Number(event.target.value) })}>
          {meanings.map((words, k) => (
            <option key={words} value={k}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <p className="note">{KINDS[kind]}</p>
    </>
  );
}

const KINDS: readonly string[] = [
  'Each packet interrupts at once.',
  'Starts with the first packet and gathers those that follow (RADV).',
  'Starts anew with each packet (RDTR): while packets come faster, only a full ring interrupts.',
  'The absolute timer while packets come faster than the packet timer, else that.',
  'The first packet interrupts at once, then interrupts keep the delay apart (ITR, rx-usecs of most drivers).',
  'What the emulated 82540EM makes of its absolute timer; in time the same rule as the throttle.',
];

export function Controls({ parameters, onChange }: Props) {
  const controls = slidersOf(catalogue).filter(({ name }) => name !== 'moderation_kind' && !idle(name, parameters));
  const sliders = (group: Group) =>
    controls
      .filter((c) => c.group === group)
      .map((control) => (
        <Ruler
          key={control.name}
          control={control}
          words={control.name === 'napi_weight' && parameters.napi_weight === 0 ? 'no polling' : undefined}
          value={parameters[control.name]}
          onValue={(value) => onChange({ [control.name]: value })}
        />
      ));
  return (
    <Section title="Settings">
      <div className="worksettings">
        <fieldset>
          <legend className="cap">Traffic</legend>
          <div className="row">
            <span>Frames come</span>
            <Segmented
              tiny
              label="Frames come"
              value={parameters.spacing}
              segments={SPACING_WORDS}
              onChange={(spacing) => onChange({ spacing })}
            />
          </div>
          {parameters.spacing !== 'even' && (
            <div className="row">
              <span className="note">seed {decimal(parameters.seed, 0)}</span>
              <button
                type="button"
                className="quiet small"
                onClick={() => onChange({ seed: (parameters.seed + 1) % 2 ** 32 })}
              >
                Draw others
              </button>
            </div>
          )}
          <div className="params">{sliders('traffic')}</div>
        </fieldset>
        <fieldset>
          <legend className="cap">Interface</legend>
          <Moderation parameters={parameters} onChange={onChange} />
          <div className="params">{sliders('interface')}</div>
          {parameters.moderation_kind >= MODERATION.throttle && (
            <p className="note">Nothing passes a throttle early: the ring must hold what arrives meanwhile.</p>
          )}
        </fieldset>
        <fieldset>
          <legend className="cap">CPU time on the host</legend>
          <div className="params">{sliders('host')}</div>
        </fieldset>
      </div>
    </Section>
  );
}
