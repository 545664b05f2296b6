// SPDX-License-Identifier: Apache-2.0
// What was counted, beside what the models say of the same parameters.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { QuantityName } from '../../components/QuantityName';
import { catalogue, modelById } from '../../engine/catalogue';
import { Drawing, useWidth } from '../../layers/Drawing';
import { decimal } from '../../plots/number';
import { CONVERGENCE_HEIGHT, convergenceOf, nowOn } from './convergence';
import { type Playback, useCalmMoment } from './playback';
import type { Prediction } from './prediction';
import { COUNTED, type Counters as Counting } from './simulation/measure';
import type { Simulation } from './simulation/record';
import { apartWords } from './words';

const DIGITS: Readonly<Record<(typeof COUNTED)[number], number>> = {
  packets_per_interrupt: 2,
  rx_interrupt_rate_hz: 0,
  added_latency_us: 1,
  system_cpu_percent: 1,
  drop_percent: 1,
};

export function Counters(props: {
  simulation: Simulation;
  counters: Counting;
  prediction: Prediction;
  playback: Playback;
}) {
  const { simulation, counters, prediction, playback } = props;
  const { now_us } = useCalmMoment(playback);
  const counted = counters.at(now_us);
  const models = [...new Set(COUNTED.flatMap((name) => prediction[name]?.model ?? []))];
  return (
    <section>
      <h2 className="sec">Counted, and predicted</h2>
      <table className="tally">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Quantity</span>
            </th>
            <th scope="col">so far</th>
            <th scope="col">model</th>
            <th scope="col">apart</th>
          </tr>
        </thead>
        <tbody>
          {COUNTED.map((name) => {
            const quantity = catalogue.quantities.find((q) => q.name === name);
            const said = prediction[name];
            const unit = quantity?.unit ?? '';
            return (
              <tr key={name}>
                <th scope="row">
                  <QuantityName name={name}>{quantity?.label ?? name}</QuantityName>
                  {unit !== '' && unit !== '1' && <small> {unit}</small>}
                </th>
                <td className="counted">{decimal(counted[name], DIGITS[name])}</td>
                <td>{said ? decimal(said.value, DIGITS[name]) : 'not told'}</td>
                <td>{apartWords(counted[name], said?.value, unit)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="note">
        By{' '}
        {models.map((id, k) => (
          <span key={id}>
            {k > 0 && ' and '}
            <Link href={`/models/${id}`}>{modelById(id)?.title ?? id}</Link>
          </span>
        ))}
        : the same traced functions as in the explorer, at the settings below.
      </p>
      <Converging simulation={simulation} counters={counters} prediction={prediction} playback={playback} />
    </section>
  );
}

function Converging({
  simulation,
  counters,
  prediction,
  playback,
}: {
  simulation: Simulation;
  counters: Counting;
  prediction: Prediction;
  playback: Playback;
}) {
  const [place, width] = useWidth<HTMLDivElement>();
  const { now_us } = useCalmMoment(playback);
  const predicted = prediction.packets_per_interrupt?.value;
  const still = useMemo(
    () => convergenceOf(simulation, counters, predicted, Math.max(240, width)),
    [simulation, counters, predicted, width],
  );
  return (
    <div ref={place} className="converging">
      {width > 0 && (
        <Drawing
          label="Packets per interrupt as counted over ever longer time, and the model’s value. The table above has both. Press or drag to go to a moment."
          width={width}
          height={CONVERGENCE_HEIGHT}
          shapes={[...still.shapes, ...nowOn(still, counters, now_us, width)]}
          onPoint={(point) => {
            if (!point) return;
            const t = still.time.invert(point.x);
            playback.set({ now_us: Math.max(0, Math.min(simulation.until_us, t)), playing: false });
          }}
        />
      )}
    </div>
  );
}
