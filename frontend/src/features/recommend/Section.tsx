// SPDX-License-Identifier: Apache-2.0
// What should I set? The answer in a sentence; unfolded, what is wanted, the curve behind it, and the commands.

import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { mayComeYet } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { useRecommendation } from '../../api/recommendations';
import type { Kind, Recommendation } from '../../api/types';
import { CopyButton } from '../../components/Copy';
import { Icon } from '../../components/Icon';
import { QuantityName } from '../../components/QuantityName';
import { catalogue } from '../../engine/catalogue';
import { Drawing, useWidth } from '../../layers/Drawing';
import { alike } from '../../plots/number';
import { type Advice, withLimit } from '../../state/advice';
import type { ExplorerState } from '../../state/explorer';
import type { Place } from '../../state/planned';
import type { Store } from '../../state/store';
import { begin } from '../../state/underWay';
import type { Slice, Slices, Subject } from '../../state/view';
import { titleWithUnit } from '../explorer/figure/words';
import { Controls, Target } from './Controls';
import { captionOf, FIGURE_HEIGHT, figureOf, figureShapes } from './figure';
import { isRefusal, type Question, questionOf } from './question';
import {
  chosenOf,
  formText,
  MEANINGS,
  notesOf,
  offersOf,
  type Part,
  sentenceOf,
  settingName,
  spotOf,
  standingOf,
  valueWords,
} from './words';
import './recommend.css';

export interface SectionProps {
  readonly subject: Extract<Subject, { of: 'experiment' }>;
  readonly store: Store<ExplorerState>;
  readonly slices: Slices;
  readonly dataVersion: number | undefined;
  /** Where the recommended setting is in the picture, while the section is open. */
  readonly onBest: (best: Place | null) => void;
}

const QUIET_MS = 250;

/** The value once it has stood still for a moment: a slider asks at its end, not on its way. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const over = begin();
    const timer = setTimeout(() => {
      setSettled(value);
      over();
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      over();
    };
  }, [value]);
  return settled;
}

const CALM_MS = 10_000;

/** The value, new at most every ten seconds: a sweep brings data faster than anybody reads advice. */
function useCalm<T>(value: T): T {
  const [calm, setCalm] = useState(value);
  const last = useRef(performance.now());
  useEffect(() => {
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setCalm(value);
      },
      Math.max(0, last.current + CALM_MS - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}

/** A question with its answer: while the next is on its way, both stay. */
interface Answered {
  readonly question: Question;
  readonly answer: Recommendation;
  readonly slice: ReturnType<Slices>;
}

/** What of the state the question depends on, as text: the crosshair counts only where traffic stands on an axis. */
function questionKey({ subject, slices }: SectionProps, state: ExplorerState): string {
  const { open: _, ...advice } = state.advice;
  const question = questionOf(subject, slices(state), state);
  return JSON.stringify([state.axes, state.where, advice, isRefusal(question) ? question.reason : question.asked]);
}

function Sentence({
  parts,
  go,
  className,
}: {
  parts: readonly Part[];
  go: (place: number) => void;
  className?: string;
}) {
  return (
    <p className={className}>
      {parts.map(({ text, place, strong }, i) =>
        place === undefined ? (
          text
        ) : (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the sentence
            key={i}
            type="button"
            className={strong ? 'setting strong' : 'setting'}
            aria-description="moves the crosshair there"
            onClick={() => go(place)}
          >
            {text}
          </button>
        ),
      )}
    </p>
  );
}

function Curve({
  found: { question, answer, slice },
  kind,
}: {
  found: Answered;
  kind: SectionProps['subject']['experiment']['kind'];
}) {
  const [place, width] = useWidth<HTMLDivElement>();
  const { layout } = slice;
  const shapes = useMemo(
    () => figureShapes(question, answer, layout, kind, width),
    [question, answer, layout, kind, width],
  );
  const which = figureOf(question, layout);
  if (which === null) return null;
  const title = which === 'trade' ? 'What one costs in the other' : 'The best of each setting';
  return (
    <div className="curve">
      <h3 className="cap">{title}</h3>
      <div ref={place}>
        <Drawing
          label={`${title}. The numbers are in the table of all settings.`}
          width={width}
          height={FIGURE_HEIGHT}
          shapes={shapes}
        />
      </div>
      <p className="note">{captionOf(question, answer, layout)}</p>
    </div>
  );
}

const MOST_ROWS = 60;

function Settings({ found: { question, answer, slice }, go }: { found: Answered; go: (place: number) => void }) {
  const { candidates } = answer;
  const means = question.aims.map(({ quantity }) => alike(candidates.map((c) => c.means[quantity.name])));
  const loss = alike(
    candidates.map((c) => c.loss_percent),
    3,
  );
  return (
    <details className="more settings">
      <summary>All {candidates.length} settings</summary>
      <div className="wide">
        <table className="beside">
          <caption className="sr">Every setting, the best first</caption>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {question.aims.map(({ quantity }) => (
                <th scope="col" key={quantity.name}>
                  <QuantityName name={quantity.name}>{titleWithUnit(quantity)}</QuantityName>
                </th>
              ))}
              <th scope="col">Loses, %</th>
              <th scope="col">Standing</th>
            </tr>
          </thead>
          <tbody>
            {candidates.slice(0, MOST_ROWS).map((c, place) => (
              <tr key={settingName(slice.layout, question.settingOf(c.factors), false)}>
                <th scope="row">
                  <button type="button" onClick={() => go(place)}>
                    {settingName(slice.layout, question.settingOf(c.factors), false)}
                  </button>
                </th>
                {question.aims.map(({ quantity }, k) => (
                  <td key={quantity.name}>{means[k](c.means[quantity.name])}</td>
                ))}
                <td>{loss(Math.abs(c.loss_percent))}</td>
                <td>
                  {question.model && c.allowed && place !== answer.answer ? 'predicted' : standingOf(c, place, answer)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {candidates.length > MOST_ROWS && <p className="note">The best {MOST_ROWS} of them.</p>}
      <p className="note">Values are geometric means of a setting’s runs.</p>
    </details>
  );
}

/** Words with commands in them, between `these`. */
function Quoted({ children }: { children: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant sentence
  return children.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

/** Commands to copy. What scrolls is reached by keyboard. */
function Script({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
  );
}

/** What keeps the setting after a restart: a system is chosen, its text is copied. */
function Forms({ forms }: { forms: NonNullable<Recommendation['commands']>['forms'] }) {
  const [chosen, choose] = useState(0);
  const form = forms[chosen];
  if (!form) return null;
  return (
    <details className="more">
      <summary>To keep it after a restart</summary>
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
      <div className="copied">
        <Script label="What keeps it" text={formText(form)} />
        <CopyButton text={formText(form)} />
      </div>
      <ul className="cautions">
        {form.notes.map((note) => (
          <li key={note}>
            <Quoted>{note}</Quoted>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Commands({ answer, advice }: { answer: Recommendation; advice: Advice }) {
  const { commands } = answer;
  if (!commands) return null;
  const script = commands.apply.join('\n');
  const back = commands.back.join('\n');
  if (commands.apply.length === 0)
    return (
      <div className="note">
        {commands.refused.length === 0 && <p>No command is known for these factors.</p>}
        {commands.refused.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
      </div>
    );
  return (
    <>
      <header className="row">
        <h3 className="cap">
          Set it <small>as root{advice.driver === null ? '' : `, with ${advice.driver}`}</small>
        </h3>
        <CopyButton text={script} />
      </header>
      <Script label="Commands that set it" text={script} />
      <Forms forms={commands.forms} />
      <header className="row">
        <h3 className="cap">
          To undo it <small>in any shell</small>
        </h3>
        <CopyButton text={back} />
      </header>
      <Script label="Commands for the way back" text={back} />
      <ul className="cautions">
        {commands.notes.map((note) => (
          <li key={note}>
            <Quoted>{note}</Quoted>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The answer's place, if the picture that is shown has one for it. */
function placeOf(found: Answered | null, shown: Slice): Place | null {
  const chosen = found && chosenOf(found.answer);
  if (!found || chosen === null || !sameAxes(found.slice, shown)) return null;
  const { x, y } = spotOf(shown.layout, found.question.settingOf(found.answer.candidates[chosen].factors));
  return x === null || y === null ? null : { x, y };
}

function sameAxes({ layout: a }: Slice, { layout: b }: Slice): boolean {
  return a.x?.name === b.x?.name && a.y?.name === b.y?.name;
}

/** Limits on the delay to choose from, where a longer one costs what nobody measured. */
function Offers({ found, advice, set }: { found: Answered; advice: Advice; set: (change: Partial<Advice>) => void }) {
  const offers = offersOf(found.question, found.answer, found.slice.layout);
  if (offers.length === 0) return null;
  return (
    <ul className="offers">
      {offers.map(({ factor, atMost, text }) => (
        <li key={atMost}>
          <button
            type="button"
            className="quiet small boxed"
            onClick={() => set({ limits: withLimit(advice.limits, factor, 'at most', atMost) })}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

const SIGNED = new Intl.NumberFormat('en', { signDisplay: 'exceptZero', maximumSignificantDigits: 3 });
const percent = (value: number): string => SIGNED.format(value).replace('-', '−');
const VERDICTS = { true: 'better', false: 'worse', null: 'no change told' } as const;

/** What the answer gains and costs, in every measure that is known. */
function Effects({ found: { question, answer, slice } }: { found: Answered }) {
  const { effects, reference } = answer;
  if (reference === null || effects.length === 0) return null;
  const against = settingName(slice.layout, question.settingOf(reference));
  return (
    <div className="wide">
      <table className="beside effects">
        <caption>Against {against}</caption>
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">There</th>
            <th scope="col">Here</th>
            <th scope="col">Change, %</th>
            <th scope="col">95 %</th>
            <th scope="col">Which is</th>
          </tr>
        </thead>
        <tbody>
          {effects.map(
            ({ measure, reference: there, answer: here, change_percent: change, ci95_percent: ci, gain }) => {
              const quantity = slice.measures.find((m) => m.name === measure);
              if (!quantity) return null;
              return (
                <tr key={measure} className={gain === null ? '' : gain ? 'better' : 'worse'}>
                  <th scope="row">
                    <QuantityName name={measure}>{quantity.label}</QuantityName>
                  </th>
                  <td>{valueWords(quantity, there)}</td>
                  <td>{valueWords(quantity, here)}</td>
                  <td>{percent(change)}</td>
                  <td>{ci ? `${percent(ci[0])} to ${percent(ci[1])}` : '–'}</td>
                  <td>{VERDICTS[`${gain}`]}</td>
                </tr>
              );
            },
          )}
        </tbody>
      </table>
      {[...new Set(effects.map(({ reason }) => reason))].map((reason) => reason && <p key={reason}>{reason}</p>)}
    </div>
  );
}

function Meanings() {
  return (
    <details className="more">
      <summary>What these words mean</summary>
      <dl className="meanings">
        {MEANINGS.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function useAnswer(props: SectionProps, state: ExplorerState, key: string) {
  const { subject, slices } = props;
  const dataVersion = useCalm(props.dataVersion);
  const slice = slices(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the parts of the state that matter here
  const question = useMemo(() => questionOf(subject, slice, state), [subject, slice, key]);
  const refused = isRefusal(question);
  const asked = useRecommendation(refused ? null : question.asked, dataVersion);
  const last = useRef<Answered | null>(null);
  if (!refused && asked.data && !asked.isPlaceholderData && !asked.isError)
    last.current = { question, answer: asked.data, slice };
  return {
    question,
    asked,
    found: refused || asked.isError ? null : last.current,
    waiting: !refused && asked.isFetching,
  };
}

const quantities = new Map(catalogue.quantities.map((q) => [q.name, q]));

/** Commands are for the reader's machine: of another's data, only when they are asked for. */
function Apply({ kind, children }: { kind: Kind; children: ReactNode }) {
  if (kind === 'measured') return children;
  return (
    <details className="more">
      <summary>Apply it to my machine</summary>
      <p className="note">
        These runs are {kind}: another host, driver and traffic. What carries over is that both factors matter, and
        which way; not the values, and not what they gain. Measure the setting on your machine before you keep it.
      </p>
      {children}
    </details>
  );
}

export function Section(props: SectionProps) {
  const { subject, store } = props;
  const { kind } = subject.experiment;
  const now = useSyncExternalStore(store.subscribe, () => questionKey(props, store.get()));
  const key = useSettled(now);
  const advice = useSyncExternalStore(store.subscribe, () => store.get().advice);
  const state = store.get();
  const { question, asked, found, waiting } = useAnswer(props, state, key);
  const go = (place: number) => {
    // an answer about other axes than those that are shown says nothing about where to go
    if (!found || !sameAxes(found.slice, props.slices(store.get()))) return;
    const { x, y } = spotOf(found.slice.layout, found.question.settingOf(found.answer.candidates[place].factors));
    store.update({ ...(x === null ? {} : { x }), ...(y === null ? {} : { y }) });
  };
  const set = (change: Partial<Advice>) => store.update({ advice: { ...store.get().advice, ...change } });
  const slice = props.slices(store.get());
  const { onBest } = props;
  const { x = null, y = null } = (advice.open && placeOf(found, slice)) || {};
  useEffect(() => onBest(x === null || y === null ? null : { x, y }), [onBest, x, y]);
  useEffect(() => () => onBest(null), [onBest]);
  return (
    <>
      <header className="advicehead">
        <h2 className="cap">What should I set?</h2>
        <div className={waiting && found ? 'say waits' : 'say'} role="status" aria-busy={waiting}>
          {found ? (
            <>
              <Sentence
                className="answer"
                parts={sentenceOf(found.question, found.answer, found.slice.layout, kind)}
                go={go}
              />
              <Offers found={found} advice={advice} set={set} />
            </>
          ) : (
            <p className={isRefusal(question) || asked.isError ? 'answer no' : 'answer awaited'}>
              {isRefusal(question)
                ? question.reason
                : asked.isError
                  ? reasonOf(asked.error)
                  : 'The answer is on its way.'}
            </p>
          )}
        </div>
        <button
          type="button"
          className="quiet small boxed"
          aria-expanded={advice.open}
          onClick={() => set({ open: !advice.open })}
        >
          {advice.open ? 'Fold' : 'Goal, curve, commands'}
          <Icon name="down" small className={advice.open ? 'up' : ''} />
        </button>
      </header>
      {advice.open && (
        <div className="advicebody">
          <div className="wanted">
            <Controls advice={advice} slice={slice} question={question} measure={store.get().measure} set={set} />
          </div>
          <div className="behind-it">
            {found && (
              <div className="notes">
                {notesOf(found.question, found.answer, quantities).map((note) => (
                  <p key={note}>{note}</p>
                ))}
                {found.answer.without.length > 0 && (
                  <p>
                    {found.answer.without.length === 1
                      ? 'The run that this view leaves out does not count here either.'
                      : `The ${found.answer.without.length} runs that this view leaves out do not count here either.`}
                  </p>
                )}
              </div>
            )}
            {found && <Effects found={found} />}
            {found && <Curve found={found} kind={kind} />}
            {found && <Settings found={found} go={go} />}
            {found && <Meanings />}
            {asked.isError && mayComeYet(asked.error) && (
              <button type="button" className="inline" onClick={() => asked.refetch()}>
                Try again
              </button>
            )}
          </div>
          <div className="do">
            <Apply kind={kind}>
              <Target advice={advice} set={set} />
              {found && <Commands answer={found.answer} advice={advice} />}
            </Apply>
          </div>
        </div>
      )}
    </>
  );
}
