// SPDX-License-Identifier: Apache-2.0
// What came of a run: the model drawn, its equation and its names, and its fit to an experiment.
import { useMemo, useState } from 'react';
import { Notice } from '../../components/Notice';
import { Rich } from '../../components/Rich';
import { Segmented } from '../../components/Segmented';
import { DEFINITIONS } from '../../engine/definitions';
import { mathml } from '../../engine/mathml';
import type { Observed } from '../../state/observed';
import { modelOf, type UserDocument } from '../../state/userModel';
import { titleWithUnit } from '../explorer/figure/messages';
import type { AskedFit, Shown } from './address';
import { Equations } from './Equations';
import { FitPanel } from './FitPanel';
import { Names } from './Names';
import { type Placed, Stage } from './Stage';

export interface OnMounted {
  readonly document: UserDocument;
  /** Counts: another run is another drawing. */
  readonly turn: number;
}

const known = (estimates: Observed['fit']['estimates']): Record<string, number> =>
  Object.fromEntries(Object.entries(estimates).flatMap(([name, { value }]) => (value === null ? [] : [[name, value]])));

/** The output that is looked at. */
function Outputs(props: {
  outputs: readonly { readonly name: string; readonly label: string }[];
  value: string;
  onChange(name: string): void;
}) {
  const { outputs, value, onChange } = props;
  if (outputs.length < 2) return null;
  if (outputs.length <= 3)
    return (
      <Segmented
        label="Output"
        value={value}
        segments={outputs.map((o) => ({ value: o.name, label: o.label }))}
        onChange={onChange}
      />
    );
  return (
    <label className="start">
      Output
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {outputs.map((o) => (
          <option key={o.name} value={o.name}>
            {o.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** `output`: null for the first. `shown`: what the address says now; it moves with the pointer, so nothing is rendered by it. */
export function Outcome(props: {
  drawn: OnMounted;
  output: string | null;
  onOutput(name: string): void;
  /** The text was changed since it ran. */
  stale: boolean;
  shown(): Shown;
  put(part: Partial<Shown>): void;
}) {
  const { drawn, output, onOutput, stale, shown, put } = props;
  // a fit is of the run that it was made after
  const [fit, setFit] = useState<{ readonly turn: number; readonly observed: Observed | null } | null>(null);
  const [fits, setFits] = useState(0);
  const observed = fit?.turn === drawn.turn ? fit.observed : null;
  const setObserved = (found: Observed | null) => setFit({ turn: drawn.turn, observed: found });
  const estimates = useMemo(
    () => (observed ? { ...observed.fit.held, ...known(observed.fit.estimates) } : undefined),
    [observed],
  );
  const own = useMemo(() => modelOf(drawn.document, DEFINITIONS, mathml, estimates), [drawn, estimates]);
  const { outputs } = own.model;
  const drawnOutput = outputs.find((o) => o.name === output) ?? outputs[0];
  const chooseOutput = (name: string) => {
    onOutput(name);
    setObserved(null);
    put({ output: name === outputs[0].name ? null : name, fit: null });
  };
  const values = () => ({
    ...Object.fromEntries(own.model.parameters.map((p) => [p.name, p.default])),
    ...shown().set,
  });
  const onFit = (found: Observed | null, asked: AskedFit | null, again: boolean) => {
    setObserved(found);
    setFits((n) => n + 1);
    // sliders that were moved before stand at the estimates now
    put({ fit: asked, ...(found && !again ? { set: {} } : {}) });
  };
  return (
    <>
      <header className="row">
        <h2>{own.model.title}</h2>
        {stale && <span className="note stalenote">of the last run</span>}
      </header>
      <Outputs outputs={outputs} value={drawnOutput.name} onChange={chooseOutput} />
      {own.model.inputs.length > 0 ? (
        <>
          <p className="note axis">
            <Rich>{titleWithUnit(drawnOutput)}</Rich>
          </p>
          <Stage
            key={`${drawn.turn} ${fits}`}
            own={own}
            output={drawnOutput.name}
            observed={observed}
            stale={stale}
            placed={shown()}
            onPlaced={(placed: Placed) => put(placed)}
          >
            <Equations own={own} output={drawnOutput.name} />
          </Stage>
        </>
      ) : (
        <>
          <Notice tone="plain" title="Nothing varies">
            All names of this model have a default, so all are parameters. Take the default from one of them, and it
            becomes an axis.
          </Notice>
          <Equations own={own} output={drawnOutput.name} />
        </>
      )}
      <Names own={own} />
      <FitPanel
        key={drawn.turn}
        own={own}
        output={drawnOutput.name}
        asked={shown().fit}
        values={values}
        onFit={onFit}
      />
    </>
  );
}
