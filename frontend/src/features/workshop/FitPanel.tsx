// SPDX-License-Identifier: Apache-2.0
// The model against an experiment's cells: the server fits the graph; what comes back are estimates, intervals and every residual.

import { useEffect, useMemo, useRef, useState } from 'react';
import { currentCopy, needsServer, tryAgain } from '../../api/copy';
import { reasonOf, reasonOfChoice } from '../../api/errors';
import { useExperiment, useExperiments, useNonlinearFit } from '../../api/queries';
import type { Experiment, Interval, NonlinearFit } from '../../api/types';
import { Kind } from '../../components/Kind';
import { LevelFilter } from '../../components/LevelFilter';
import { Notice } from '../../components/Notice';
import { Rich } from '../../components/Rich';
import { Section } from '../../components/Section';
import { brief, decimal } from '../../plots/number';
import { conditionOf, intervalOf } from '../../state/fit';
import type { Observed } from '../../state/observed';
import type { OwnModel } from '../../state/userModel';
import { titleWithUnit, unitWords } from '../explorer/figure/messages';
import type { AskedFit } from './address';
import {
  askedOf,
  type Choice,
  choicesOf,
  inputsWithout,
  MOST_FREE,
  requestOf,
  responseFor,
  startingLevels,
} from './fitting';
import { Residuals } from './Residuals';

function middle(own: OwnModel, name: string): number {
  const [lo, hi] = own.model.inputs.find((i) => i.name === name)?.typical ?? [0, 1];
  return Number(((lo + hi) / 2).toPrecision(3));
}

/** As it was asked for before, as far as the model and the experiment still have it. */
function startOf(own: OwnModel, output: string, experiment: Experiment, asked: AskedFit | null): Choice {
  const unit = own.model.outputs.find((o) => o.name === output)?.unit ?? '';
  const names = own.document.parameters.map(({ name }) => name);
  const free = asked?.free.filter((name) => names.includes(name)).slice(0, MOST_FREE) ?? [];
  const response = experiment.measures.find(({ name }) => name === asked?.response)?.name;
  return {
    output,
    response: response ?? responseFor(own.document, output, experiment, unit),
    free: free.length > 0 ? free : names.slice(0, MOST_FREE),
    held: Object.fromEntries(
      inputsWithout(own.document, experiment).map((name) => [name, asked?.held[name] ?? middle(own, name)]),
    ),
    where: startingLevels(experiment, asked),
    robust: asked?.robust ?? false,
  };
}

function intervalWords(estimate: Interval): string {
  const ends = intervalOf(estimate);
  return ends ? `${ends.map((end) => brief(end, 4)).join(' to ')}${conditionOf(estimate)}` : 'not known';
}

function Estimates({ fit, model }: { fit: NonlinearFit; model: OwnModel }) {
  return (
    <table className="beside">
      <caption className="sr">Estimates with 95 % intervals</caption>
      <thead>
        <tr>
          <th scope="col">parameter</th>
          <th scope="col">estimate</th>
          <th scope="col">95 % interval</th>
          <th scope="col">unit</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(fit.estimates).map(([name, own]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{own.value === null ? 'not determined' : brief(own.value, 5)}</td>
            <td>{intervalWords(own)}</td>
            <td>
              <Rich>{own.unit || model.document.parameters.find((p) => p.name === name)?.unit || '1'}</Rich>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const assumed = (fit: NonlinearFit) =>
  Object.entries(fit.assumed)
    .map(([name, value]) => `${name} ${brief(value, 5)}`)
    .join(', ');

function Result({ fit, own, experiment }: { fit: NonlinearFit; own: OwnModel; experiment: Experiment }) {
  const worst = Math.max(0, ...fit.residuals.map((r) => Math.abs(r.deviation_percent)));
  const from = Object.entries(fit.sources)
    .filter(([name, names]) => names.join() !== name)
    .map(([name, names]) => `${name} from ${names.join(' and ')}`);
  return (
    <div className="result">
      {!fit.identifiable && (
        <Notice tone="warn" title="These cells do not determine the parameters">
          {fit.message}
        </Notice>
      )}
      {fit.identifiable && (
        <>
          <p className="note" role="status">
            <Kind kind={experiment.kind} /> {fit.n} {fit.n === 1 ? 'cell' : 'cells'}
            {fit.left_out > 0 ? `, ${fit.left_out} runs left out` : ''}; largest deviation {decimal(worst, 2)} %
            {from.length > 0 ? `; ${from.join(', ')}` : ''}. The sliders show the estimates.{' '}
            {fit.message && `${fit.message}`}
          </p>
          <Estimates fit={fit} model={own} />
          {Object.keys(fit.assumed).length > 0 && (
            <p className="note">Held, not measured: {assumed(fit)}. What is fitted holds if these are right.</p>
          )}
          <Residuals fit={fit} experiment={experiment} />
        </>
      )}
    </div>
  );
}

function Select(props: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
}) {
  return (
    <label className="field">
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.target.value)}>
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Form(props: {
  own: OwnModel;
  output: string;
  experiment: Experiment;
  /** A fit that the address names: it is asked for at once. */
  asked: AskedFit | null;
  values(): Readonly<Record<string, number>>;
  onFit: OnFit;
}) {
  const { own, output, experiment, values, onFit } = props;
  const [choice, setChoice] = useState(() => startOf(own, output, experiment, props.asked));
  const asked = useNonlinearFit();
  const missing = useMemo(() => inputsWithout(own.document, experiment), [own, experiment]);
  const parameters = own.document.parameters;
  const change = (part: Partial<Choice>) => setChoice((now) => ({ ...now, ...part }));
  const measures = experiment.measures.filter((m) => !own.document.inputs.some((i) => i.name === m.name));
  const responseUnit = measures.find((m) => m.name === choice.response)?.unit ?? '';
  const outputUnit = own.model.outputs.find((o) => o.name === output)?.unit ?? '';
  const ask = (moved: Readonly<Record<string, number>>, again: boolean) => {
    const request = requestOf(own.document, choice, moved);
    asked.mutate(
      { slug: experiment.slug, request },
      {
        onSuccess: (found) => {
          if (!found.identifiable) onFit(null, null, false);
          else onFit({ kind: experiment.kind, fit: found }, askedOf(own.document, experiment.slug, request), again);
        },
      },
    );
  };
  const fit = () => ask(values(), false);
  const before = useRef(props.asked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form appears
  useEffect(() => {
    if (before.current) ask(before.current.held, true);
    before.current = null;
  }, []);
  const why =
    parameters.length === 0
      ? 'This model has no parameters: nothing to find.'
      : choice.free.length === 0
        ? 'Tick a parameter to find.'
        : choice.response === ''
          ? 'This experiment has no measure to compare with.'
          : '';
  return (
    <>
      <div className="choices">
        <Select
          label={`${output} is compared with`}
          value={choice.response}
          options={measures.map((m) => ({ value: m.name, label: titleWithUnit(m) }))}
          onChange={(response) => change({ response })}
        />
        {choicesOf(experiment).map(({ name, label, levels }) => (
          <LevelFilter
            key={name}
            name={name}
            label={label}
            levels={levels}
            value={choice.where[name] ?? ''}
            onChange={(text) => {
              const { [name]: _, ...others } = choice.where;
              change({ where: text === '' ? others : { ...others, [name]: text } });
            }}
          />
        ))}
        {missing.map((name) => (
          <label className="field" key={name}>
            {name}, held at
            <input
              type="number"
              step="any"
              value={choice.held[name]}
              onChange={(event) => {
                const value = event.target.valueAsNumber;
                if (Number.isFinite(value)) change({ held: { ...choice.held, [name]: value } });
              }}
            />
            <small>The experiment does not have it.</small>
          </label>
        ))}
      </div>
      {parameters.length > 0 && (
        <fieldset className="free">
          <legend>Find, within the ends of their sliders; the others are held where they stand</legend>
          {parameters.map(({ name }) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={choice.free.includes(name)}
                disabled={!choice.free.includes(name) && choice.free.length >= MOST_FREE}
                onChange={(event) =>
                  change({
                    free: event.target.checked ? [...choice.free, name] : choice.free.filter((other) => other !== name),
                  })
                }
              />
              <code>{name}</code>
            </label>
          ))}
        </fieldset>
      )}
      <Select
        label="Method"
        value={choice.robust ? 'robust' : 'squares'}
        options={[
          { value: 'squares', label: 'least squares, in percent' },
          { value: 'robust', label: 'robust: outlying runs do not move it' },
        ]}
        onChange={(method) => change({ robust: method === 'robust' })}
      />
      {responseUnit !== outputUnit && choice.response !== '' && outputUnit !== '' && (
        <p className="note">
          The output is in {unitWords(outputUnit)}, the measure in {unitWords(responseUnit) || 'no unit'}.
        </p>
      )}
      <p className="do">
        <button type="button" className="action" disabled={why !== '' || asked.isPending} onClick={fit}>
          {asked.isPending ? 'Fitting' : 'Fit on the server'}
        </button>
        <span className="note">{why || 'The server gets the graph, never the Python.'}</span>
      </p>
      {asked.isError && (
        <Notice tone="bad" title="Couldn’t load the fit" {...tryAgain(asked.error, fit)}>
          {reasonOf(asked.error)}
        </Notice>
      )}
      {asked.data && !asked.isPending && <Result fit={asked.data} own={own} experiment={experiment} />}
    </>
  );
}

/** A fit and how it was asked for. `again`: it was asked for by the address, so that the sliders stay where they are. */
type OnFit = (observed: Observed | null, asked: AskedFit | null, again: boolean) => void;

interface PanelProps {
  readonly own: OwnModel;
  readonly output: string;
  readonly asked: AskedFit | null;
  values(): Readonly<Record<string, number>>;
  readonly onFit: OnFit;
}

export function FitPanel(props: PanelProps) {
  if (currentCopy() === null) return <Panel {...props} />;
  return (
    <Section title="Fit it to an experiment" className="fit">
      <p className="note">{reasonOf(needsServer())} A fit of one’s own model is worked out when it is asked for.</p>
    </Section>
  );
}

function Panel(props: PanelProps) {
  const experiments = useExperiments();
  const [slug, setSlug] = useState(props.asked?.experiment ?? '');
  const experiment = useExperiment(slug);
  const { own, output, onFit } = props;
  const choose = (next: string) => {
    setSlug(next);
    // the old fit says nothing of another experiment
    onFit(null, null, false);
  };
  return (
    <Section title="Fit it to an experiment" className="fit">
      {experiments.isError && (
        <Notice
          tone="bad"
          title="Couldn’t load the experiments"
          {...tryAgain(experiments.error, () => experiments.refetch())}
        >
          {reasonOf(experiments.error)}
        </Notice>
      )}
      <div className="choices">
        <Select
          label="Experiment"
          value={slug}
          options={[
            { value: '', label: experiments.isPending ? 'loading…' : 'choose one' },
            ...(experiments.data ?? []).map((e) => ({ value: e.slug, label: `${e.title} (${e.kind})` })),
          ]}
          onChange={choose}
        />
      </div>
      {experiment.isError && slug !== '' && (
        <Notice tone="bad" title="Couldn’t load the experiment">
          {reasonOfChoice(experiment.error)}
        </Notice>
      )}
      {experiment.data && slug !== '' && (
        <Form
          key={`${slug} ${output}`}
          own={own}
          output={output}
          experiment={experiment.data}
          asked={props.asked?.experiment === slug ? props.asked : null}
          values={props.values}
          onFit={onFit}
        />
      )}
    </Section>
  );
}
