// SPDX-License-Identifier: Apache-2.0
// What to set: whose machine it is about, the answer, what it gains and costs. Unfolded also what is wanted, why this setting, the curve
// behind it; in the curve's place, on request, the commands for the reader's machine.

import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { currentCopy, mayComeYet } from '../../api/copy';
import { ApiError, reasonOf } from '../../api/errors';
import { useRecommendation } from '../../api/recommendations';
import { Icon } from '../../components/Icon';
import { Kind } from '../../components/Kind';
import { catalogue } from '../../engine/catalogue';
import { type Advice, withLimit } from '../../state/advice';
import type { DataSlice, DataSlices } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import { startWork } from '../../state/pendingWork';
import type { Place } from '../../state/planned';
import type { Store } from '../../state/store';
import { type ExperimentSubject, isUnderWay } from '../../state/subject';
import { Adaptive } from './Adaptive';
import type { Answered } from './answered';
import { Controls } from './Controls';
import { Curve, Settings } from './Curve';
import { type Effect, namedChange } from './changeWords';
import { Gain, InShort, Offers } from './Gain';
import { Machine } from './Machine';
import {
  chanceWords,
  guardWords,
  hostWords,
  MEANINGS,
  notesOf,
  type Offer,
  offersOf,
  referenceWords,
  refusedWords,
  saysLittle,
  sentenceOf,
  tracked,
  unansweredWords,
  whyOf,
} from './messages';
import { type Tuning, tuningOf } from './ownHost';
import { isRefusal, measured, questionOf } from './question';
import { keyOfQuestion } from './questionKey';
import { Sentence } from './Sentence';
import { besideAxes, spotOf } from './settingWords';
import './recommend.css';

export interface WhatToSetProps {
  readonly subject: ExperimentSubject;
  readonly store: Store<ExplorerState>;
  readonly slices: DataSlices;
  readonly dataVersion: number | undefined;
  /** Where the recommended setting is in the picture, while the section is open. */
  readonly onBest: (best: Place | null) => void;
}

const QUIET_MS = 250;

/** The value once it has stood still for a moment: a slider asks at its end, not on its way. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const done = startWork();
    const timer = setTimeout(() => {
      setSettled(value);
      done();
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      done();
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

/** The answer's place, if the picture that is shown has one for it. */
function placeOf(found: Answered | null, shown: DataSlice): Place | null {
  const chosen = found?.answer.answer ?? null;
  if (!found || chosen === null || !sameAxes(found.slice, shown)) return null;
  const setting = found.question.settingOf(found.answer.candidates[chosen].factors);
  const beside = Object.entries(besideAxes(shown.layout, setting));
  if (beside.some(([name, level]) => shown.cells[0]?.factors[name] !== level)) return null;
  const { x, y } = spotOf(shown.layout, setting);
  return x === null || y === null ? null : { x, y };
}

function sameAxes({ layout: a }: DataSlice, { layout: b }: DataSlice): boolean {
  return a.x?.name === b.x?.name && a.y?.name === b.y?.name;
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

/** What measures it on the reader's own host. */
function OwnHost({ command, waitUs }: Tuning) {
  return (
    <p className="ownhost">
      To measure your own host, as root: <code>{command}</code>. It puts all back.
      {waitUs !== null && ` No packet waits longer than ${waitUs} µs for the delay: say how long yours may.`}
    </p>
  );
}

function useAnswer(props: WhatToSetProps, state: ExplorerState, key: string) {
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

/** What was refused is refused again. */
const mayComeLater = (error: unknown): boolean =>
  mayComeYet(error) && !(error instanceof ApiError && error.status < 500);

const isAimed = ({ question }: Answered, { measure }: Effect): boolean =>
  question.aims.some(({ quantity }) => quantity.name === measure);

const quantities = new Map(catalogue.quantities.map((q) => [q.name, q]));

export function WhatToSet(props: WhatToSetProps) {
  const { subject, store } = props;
  const { experiment } = subject;
  const [questionKey] = useState(keyOfQuestion);
  const key = useSettled(
    useSyncExternalStore(store.subscribe, () => questionKey(subject, props.slices(store.get()), store.get())),
  );
  const advice = useSyncExternalStore(store.subscribe, () => store.get().advice);
  const state = store.get();
  const { question, asked, found, waiting } = useAnswer(props, state, key);
  const go = (place: number) => {
    // an answer about other axes than those that are shown says nothing about where to go
    if (!found || !sameAxes(found.slice, props.slices(store.get()))) return;
    const setting = found.question.settingOf(found.answer.candidates[place].factors);
    const { x, y } = spotOf(found.slice.layout, setting);
    const where = { ...store.get().where, ...besideAxes(found.slice.layout, setting) };
    store.update({ where, ...(x === null ? {} : { x }), ...(y === null ? {} : { y }) });
  };
  const set = (change: Partial<Advice>) => store.update({ advice: { ...store.get().advice, ...change } });
  const slice = props.slices(store.get());
  const { onBest } = props;
  const { x = null, y = null } = (advice.open && placeOf(found, slice)) || {};
  useEffect(() => onBest(x === null || y === null ? null : { x, y }), [onBest, x, y]);
  useEffect(() => () => onBest(null), [onBest]);
  const isOpen = advice.open !== null;
  const ofInterest = (effects: readonly Effect[]): Effect[] =>
    found ? tracked(found.question, found.answer, measured(found.slice, state.measure), effects) : [];
  const effects = found ? ofInterest(found.answer.effects) : [];
  const offers = found ? offersOf(found.question, found.answer, found.slice.layout) : [];
  const choose = ({ factor, atMost }: Offer) =>
    set({ limits: withLimit(store.get().advice.limits, factor, 'at most', atMost) });
  const hasAnswer = found !== null && found.answer.answer !== null;
  const guarded = found && guardWords(found.question, found.answer, found.slice.layout, quantities);
  const kept = hasAnswer || offers.length > 0 ? guarded : null;
  const unknown = found && chanceWords(found.question, found.answer);
  const aimed = isRefusal(question) ? undefined : question.aims[0]?.quantity.name;
  const tuning = tuningOf(question, aimed, advice.limits);
  const isLittle = found
    ? saysLittle(found.answer)
    : isRefusal(question) || (asked.isError && !mayComeLater(asked.error));
  const ownHost = isLittle && tuning !== null && <OwnHost {...tuning} />;
  const again = asked.isError && mayComeLater(asked.error) && (
    <button type="button" className="inline" onClick={() => asked.refetch()}>
      Try again
    </button>
  );
  const whyNone = isRefusal(question)
    ? refusedWords(question.reason)
    : (again ? unansweredWords : refusedWords)(reasonOf(asked.error));
  const sentence = (
    <div className={waiting && found ? 'say waits' : 'say'} role="status" aria-busy={waiting}>
      {found ? (
        <p className="answer">
          <Sentence parts={sentenceOf(found.question, found.answer, found.slice.layout)} go={go} />
        </p>
      ) : isRefusal(question) || asked.isError ? (
        <p className="answer no">
          <Sentence parts={whyNone} go={go} /> {again}
        </p>
      ) : (
        <p className="answer awaited">Calculating…</p>
      )}
    </div>
  );
  const whose = (
    <div className="whose">
      <h2>What to set</h2>
      <Kind kind={experiment.kind} />
      <span>
        {hostWords(experiment.kind)}: {experiment.subtitle}
      </span>
      {isUnderWay(subject) && <b>so far: the sweep goes on</b>}
    </div>
  );
  if (!isOpen)
    return (
      <header className="advicehead">
        {whose}
        {sentence}
        <div className="inshort">
          {offers.length > 0
            ? offers.map((offer) => (
                <button key={offer.atMost} type="button" className="quiet small boxed" onClick={() => choose(offer)}>
                  {offer.brief}: {offer.setting}
                  {ofInterest(offer.effects)
                    .slice(0, 1)
                    .map((effect) => `, ${namedChange(effect, found?.slice.measures ?? [])}`)}
                </button>
              ))
            : found && <InShort effects={effects.filter((e) => !isAimed(found, e))} slice={found.slice} />}
          {kept && <span className="kept">{kept}</span>}
          {unknown && <span className="kept">{unknown}</span>}
          {found?.answer.cautions.map((caution) => (
            <span className="kept" key={caution}>
              <b className="worse">Caution.</b> {caution}
            </span>
          ))}
          {ownHost}
        </div>
        <div className="ways">
          <button
            type="button"
            className="quiet small boxed"
            aria-expanded="false"
            onClick={() => set({ open: 'open' })}
          >
            Goal, limits, curve
            <Icon name="down" small />
          </button>
          {hasAnswer && (
            <button
              type="button"
              className="quiet small boxed"
              aria-expanded="false"
              onClick={() => set({ open: 'apply' })}
            >
              Apply to my machine
            </button>
          )}
        </div>
      </header>
    );
  const why = found && whyOf(found.question, found.answer);
  return (
    <div className="advicebody">
      <header className="advicehead">
        {whose}
        <button type="button" className="quiet small boxed" aria-expanded="true" onClick={() => set({ open: null })}>
          Collapse
          <Icon name="down" small className="up" />
        </button>
      </header>
      <Controls
        advice={advice}
        slice={slice}
        question={question}
        reference={found?.answer.reference ? referenceWords(found.question, found.answer, found.slice.layout) : null}
        guards={found?.answer.guards ?? []}
        measure={state.measure}
        asks={offers.length > 0}
        set={set}
      />
      <div className="behind-it">
        <div>
          {sentence}
          {why && <p className="why">{why}</p>}
          {ownHost}
          {found && offers.length > 0 && <Offers offers={offers} found={found} tracked={ofInterest} choose={choose} />}
          {found && <Gain found={found} shown={effects} />}
          {hasAnswer && (
            <p className="apply">
              <button
                type="button"
                className="action"
                aria-expanded={advice.open === 'apply'}
                onClick={() => set({ open: advice.open === 'apply' ? 'open' : 'apply' })}
              >
                Apply to my machine
              </button>
            </p>
          )}
          {found?.answer.cautions.map((caution) => (
            <p className="caution" key={caution}>
              <b>Caution.</b> {caution}
            </p>
          ))}
          {found &&
            notesOf(found.question, found.answer).map((note) => (
              <p className="note" key={note}>
                {note}
              </p>
            ))}
          {found && <Settings found={found} go={go} />}
          {found && !found.question.model && experiment.kind !== 'published' && currentCopy() === null && (
            <Adaptive slug={experiment.slug} found={found} device={advice.interface} dataVersion={props.dataVersion} />
          )}
          {found && <Meanings />}
        </div>
        <div className="aside">
          {found && hasAnswer && advice.open === 'apply' ? (
            <Machine
              experiment={experiment}
              question={found.question}
              advice={advice}
              dataVersion={props.dataVersion}
              set={set}
              back={() => set({ open: 'open' })}
            />
          ) : (
            found && <Curve found={found} kind={experiment.kind} />
          )}
        </div>
      </div>
    </div>
  );
}
