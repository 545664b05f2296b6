// SPDX-License-Identifier: Apache-2.0
// What was counted, beside what the models say of the same parameters.

import { useMemo } from 'react';
import { Link } from 'wouter';
import { QuantityName } from '../../components/QuantityName';
import { Section } from '../../components/Section';
import { catalogue, modelById } from '../../engine/catalogue';
import { Drawing, useWidth } from '../../layers/Drawing';
import { CONVERGENCE_HEIGHT, convergenceOf, nowOn } from './convergence';
import { apartWords } from './messages';
import { type Playback, useCalmMoment } from './playback';
import type { Line, Show } from './show';

const quantityOf = (name: string) => catalogue.quantities.find((q) => q.name === name);

interface Props {
  readonly show: Show;
  readonly playback: Playback;
}

function Row({ line: { name, counted, said, words }, now_us }: { line: Line; now_us: number }) {
  const quantity = quantityOf(name);
  const unit = quantity?.unit ?? '';
  const found = counted(now_us);
  return (
    <tr>
      <th scope="row">
        <QuantityName name={name}>{quantity?.label ?? name}</QuantityName>
        {unit !== '' && unit !== '1' && <small> {unit}</small>}
      </th>
      <td className="counted">{words(found)}</td>
      <td>{said ? words(said.value) : 'not told'}</td>
      <td>{apartWords(found, said?.value, unit)}</td>
    </tr>
  );
}

export function Counters({ show, playback }: Props) {
  const { now_us } = useCalmMoment(playback);
  const models = [...new Set(show.lines.flatMap(({ said }) => said?.model ?? []))];
  return (
    <Section title="Counted, and predicted">
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
          {show.lines.map((line) => (
            <Row key={line.name} line={line} now_us={now_us} />
          ))}
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
      <Converging show={show} playback={playback} />
    </Section>
  );
}

function Converging({ show, playback }: Props) {
  const [place, width] = useWidth<HTMLDivElement>();
  const { now_us } = useCalmMoment(playback);
  const [line] = show.lines;
  const label = quantityOf(line.name)?.label ?? line.name;
  const still = useMemo(() => convergenceOf(show, line, label, Math.max(240, width)), [show, line, label, width]);
  return (
    <div ref={place} className="converging">
      {width > 0 && (
        <Drawing
          label={`${label} as counted over ever longer time, and the model’s value. The table above has both. Press or drag to go to a moment.`}
          width={width}
          height={CONVERGENCE_HEIGHT}
          shapes={[...still.shapes, ...nowOn(still, line, now_us, width)]}
          onPoint={(point) => {
            if (!point) return;
            const t = still.time.invert(point.x);
            playback.set({ now_us: Math.max(0, Math.min(show.until_us, t)), playing: false });
          }}
        />
      )}
    </div>
  );
}
