// SPDX-License-Identifier: Apache-2.0
// The answer on the reader's machine: what does not carry over, whom the commands are for, and the commands.
import { useState } from 'react';
import { useEnvironments } from '../../api/comparisons';
import { currentCopy, mayComeYet } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useRecommendation } from '../../api/recommendations';
import type { Experiment, Kind, Recommendation } from '../../api/types';
import { CopyButton } from '../../components/Copy';
import { Segmented } from '../../components/Segmented';
import { drivers, releases } from '../../engine/drivers';
import { type Advice, isDriver, isInterface, isKernel } from '../../state/advice';
import { Field } from './Controls';
import { formText } from './messages';
import { appliedTo, type Question, type Machine as Whom } from './question';

/** Words with commands in them, between `these`. */
function Quoted({ children }: { children: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
  return children.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

/** Commands to copy. What scrolls is reached by keyboard. */
function Script({ label, text }: { label: string; text: string }) {
  return (
    <div className="copied">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} of={label} />
    </div>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className="cautions">
      {notes.map((note) => (
        <li key={note}>
          <Quoted>{note}</Quoted>
        </li>
      ))}
    </ul>
  );
}

/** What keeps the setting after a restart: a system is chosen, its text is copied. */
function Forms({ forms }: { forms: NonNullable<Recommendation['commands']>['forms'] }) {
  const [chosen, choose] = useState(0);
  const form = forms[chosen];
  if (!form) return <p className="note">How to keep it after a restart is said where the driver is known.</p>;
  return (
    <>
      <label className="bound">
        <span>System</span>
        <select value={chosen} onChange={({ currentTarget: { value } }) => choose(Number(value))}>
          {forms.map(({ name, title }, i) => (
            <option key={name} value={i}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Script label="What keeps it" text={formText(form)} />
      <Notes notes={form.notes} />
    </>
  );
}

type Way = 'set' | 'back' | 'keep';
const WAYS: readonly { readonly value: Way; readonly label: string }[] = [
  { value: 'set', label: 'Set and read back' },
  { value: 'back', label: 'Way back' },
  { value: 'keep', label: 'Make it persistent' },
];

function Commands({ commands }: { commands: NonNullable<Recommendation['commands']> }) {
  const [way, go] = useState<Way>('set');
  if (commands.apply.length === 0)
    return (
      <div className="refusal" role="status">
        <p>
          <b>Nothing to copy.</b> {commands.refused.join(' ') || 'No command is known for these factors.'}
        </p>
      </div>
    );
  return (
    <>
      <Segmented tiny label="Commands" value={way} segments={WAYS} onChange={go} />
      {way === 'set' && (
        <>
          <Script label="Commands that set it" text={commands.apply.join('\n')} />
          <p className="note">
            As root. It prints the way back first; at the first failure it stops and puts all back. Try it for a while
            before you make it persistent.
          </p>
          <Notes notes={commands.notes} />
        </>
      )}
      {way === 'back' && (
        <>
          <Script label="Undo commands" text={commands.back.join('\n')} />
          <p className="note">In any shell, as root. The file is written before anything is set.</p>
        </>
      )}
      {way === 'keep' && <Forms forms={commands.forms} />}
    </>
  );
}

/** What the data say of the interface's driver and of the kernel: the one value that all runs had, or the source. */
function useRecorded(experiment: Experiment): { driver: string | null; kernel: string | null } {
  const [{ data }] = useEnvironments([{ slug: experiment.slug, where: {} }]);
  const fact = (name: string): string | null => {
    const values = data?.facts.find((f) => f.name === name)?.values ?? [];
    return values.length === 1 ? values[0].value : null;
  };
  const said = (label: string) => experiment.fixed.find((f) => f.label === label)?.value ?? null;
  const driver = fact('driver') ?? said('Driver');
  const kernel = experiment.kind === 'measured' ? fact('kernel_version') : null;
  return {
    driver: driver !== null && drivers.includes(driver) ? driver : null,
    kernel: kernel !== null && isKernel(kernel) ? kernel : null,
  };
}

/** The release of the table that counts for a kernel: the newest that is not newer, or the oldest. */
function releaseOf(kernel: string): string {
  const key = (text: string): number => {
    const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(major) * 1000 + Number(minor);
  };
  return [...releases].reverse().find((r) => key(r) <= key(kernel)) ?? releases[0];
}

function Target({ whom, set }: { whom: Whom; set: (change: Partial<Advice>) => void }) {
  const listed = whom.driver === null || drivers.includes(whom.driver) ? drivers : [...drivers, whom.driver];
  const release = whom.kernel === null ? releases[releases.length - 1] : releaseOf(whom.kernel);
  return (
    <fieldset className="target">
      <legend className="sr">My machine</legend>
      <label className="bound">
        <span>Driver</span>
        <select
          value={whom.driver ?? ''}
          onChange={({ currentTarget: { value } }) => set({ driver: isDriver(value) ? value : 'none' })}
        >
          <option value="">not listed</option>
          {listed.map((driver) => (
            <option key={driver}>{driver}</option>
          ))}
        </select>
      </label>
      <Field
        label="Interface"
        value={whom.interface}
        take={(text) => {
          if (!isInterface(text)) return 'cannot be the name of an interface';
          if (text !== whom.interface) set({ interface: text });
          return null;
        }}
      />
      <label className="bound">
        <span>Kernel</span>
        <select value={release} onChange={({ currentTarget: { value } }) => set({ kernel: value })}>
          {releases.map((each, i) => (
            <option key={each} value={each}>
              {i === releases.length - 1 ? `${each} or newer` : each}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

function Carries({ kind, over }: { kind: Kind; over: string }) {
  if (kind === 'measured') return <p className="note">{over}</p>;
  return (
    <p className="caution">
      <b>What does not carry over.</b> {over}
    </p>
  );
}

export function Machine(props: {
  experiment: Experiment;
  question: Question;
  advice: Advice;
  dataVersion?: number;
  set: (change: Partial<Advice>) => void;
  back: () => void;
}) {
  const { experiment, question, advice, dataVersion, set, back } = props;
  const recorded = useRecorded(experiment);
  // a copy holds the commands for any driver alone
  const known = currentCopy() === null ? recorded : { driver: null, kernel: null };
  const whom: Whom = {
    interface: advice.interface,
    driver: advice.driver === 'none' ? null : (advice.driver ?? known.driver),
    kernel: advice.kernel ?? known.kernel,
  };
  const asked = useRecommendation(appliedTo(question.asked, whom), dataVersion);
  const commands = asked.data?.commands;
  return (
    <>
      <header className="row">
        <h3 className="cap">On my machine</h3>
        <button type="button" className="quiet small" onClick={back}>
          Back to the curve
        </button>
      </header>
      {commands && <Carries kind={experiment.kind} over={commands.carries_over} />}
      <Target whom={whom} set={set} />
      <div aria-busy={asked.isFetching} className={asked.isFetching ? 'waits' : ''}>
        {asked.isError ? (
          <p className="note">
            {reasonOf(asked.error)}{' '}
            {mayComeYet(asked.error) && (
              <button type="button" className="inline" onClick={() => asked.refetch()}>
                Try again
              </button>
            )}
          </p>
        ) : commands ? (
          <Commands commands={commands} />
        ) : (
          <p className="note">
            {asked.isFetching ? 'Loading commands…' : 'There is nothing to set without an answer.'}
          </p>
        )}
      </div>
    </>
  );
}
